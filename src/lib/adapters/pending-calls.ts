import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A call whose outcome is not known yet. */
export interface PendingCall {
  /** Its idempotency key: that of the same call before, where its outcome never became known. */
  readonly key: string;
  /** Forgets it: its outcome is known. Never fails, since the call did not. */
  settle(): Promise<void>;
}

/**
 * Remembers the key of a call until its outcome is known, so that the same command line, typed again after a lost answer
 * or a crash, is the same call. `digest` names the call; nothing of what it says is kept. Where nothing can be written the
 * key is only good for this once.
 */
export async function pendingCall(dataDir: string, digest: string, freshKey: () => string): Promise<PendingCall> {
  const directory = join(dataDir, 'pending');
  const file = join(directory, digest);
  const settle = (): Promise<void> => rm(file, { force: true }).catch(() => undefined);
  const key = freshKey();
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, key, { flag: 'wx', mode: 0o600 });
    return { key, settle };
  } catch (error) {
    const known = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const before = known ? (await readFile(file, 'utf8').catch(() => '')).trim() : '';
    return { key: before === '' ? key : before, settle };
  }
}
