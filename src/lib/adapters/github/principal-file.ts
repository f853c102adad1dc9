import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sha256Hex } from '../../core/hash.ts';
import type { Credential } from './credential.ts';

const remembered = z.record(z.string(), z.object({ user_id: z.int().positive(), verified_at: z.string() }));
type Remembered = z.output<typeof remembered>;

/** Who a token's user is, kept in `principals.json` under the SHA-256 of token and API, for its owner alone. */
export class PrincipalFile {
  readonly #directory: string;
  readonly #path: string;

  /** `directory`: where the configuration is. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'principals.json');
  }

  /** The id of the user; undefined where the token was never verified. */
  async userOf(credential: Credential): Promise<number | undefined> {
    return (await this.#read())[keyOf(credential)]?.user_id;
  }

  async remember(credential: Credential, userId: number, verifiedAt: string): Promise<void> {
    const known = await this.#read();
    await this.#write({ ...known, [keyOf(credential)]: { user_id: userId, verified_at: verifiedAt } });
  }

  /** For a token that GitHub refuses now. */
  async forget(credential: Credential): Promise<void> {
    const known = await this.#read();
    const { [keyOf(credential)]: gone, ...rest } = known;
    if (gone !== undefined) await this.#write(rest);
  }

  async #read(): Promise<Remembered> {
    try {
      return remembered.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      // Not there yet, or damaged: whoever it held is verified anew.
      return {};
    }
  }

  /** Whole or not at all, whoever writes at the same time. Not being able to keep it costs the next call a question. */
  async #write(principals: Remembered): Promise<void> {
    const draft = `${this.#path}.${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(draft, `${JSON.stringify(principals, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(draft, this.#path);
    } catch {
      return;
    }
  }
}

function keyOf({ apiUrl, token }: Credential): string {
  return sha256Hex(`${apiUrl}\n${token}`);
}
