import * as z from 'zod';
import { Failure } from '../../core/failure.ts';
import { isAllowed } from '../../engine/allow-list.ts';
import type { GitMirror } from '../../engine/git-mirror.ts';
import { type ClonedRepository, type GitHub, MAX_LIVE_BYTES } from '../../engine/github.ts';
import { type ClientOptions, GitHubClient } from './client.ts';
import { findCredential } from './credential.ts';
import { nonsense } from './failures.ts';
import { gitRemote } from './git-remote.ts';
import { decodeRepository } from './payloads.ts';

export interface LiveOptions extends Pick<ClientOptions, 'allowed'> {
  readonly mirror: GitMirror;
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 4000;

/** GitHub by its contents API for files and by git for wikis, which it shows to programs in no other way. */
export function githubLive(options: LiveOptions): GitHub {
  return new OctokitLive(options);
}

class OctokitLive implements GitHub {
  readonly #options: LiveOptions;
  readonly #variables: NodeJS.ProcessEnv;
  readonly #client: GitHubClient;

  constructor(options: LiveOptions) {
    const { variables = process.env, allowed } = options;
    this.#options = options;
    this.#variables = variables;
    // Whoever waits for an answer waits for no limit to pass.
    this.#client = new GitHubClient({ variables, allowed, retries: 0, maxWaitSeconds: -1 });
  }

  async mayRead(repo: string): Promise<boolean> {
    return isAllowed(this.#options.allowed ?? 'all', repo) && (await findCredential(this.#variables)) !== undefined;
  }

  file(repo: string, path: string, signal: AbortSignal): Promise<Uint8Array | 'too_large'> {
    return this.#bounded(signal, async (bounded) => {
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      const answer = await this.#client.get(repo, `/contents/${encoded}`, {}, bounded, [404]);
      if (answer === 'gone') throw this.#missing(repo);
      this.#requireAllowed(repo, nameIn(answer?.data));
      return decodeFile(answer?.data) ?? Promise.reject(nonsense(this.#client.api.host, 'contents'));
    });
  }

  wiki(repo: string, signal: AbortSignal): Promise<ClonedRepository> {
    return this.#bounded(signal, async (bounded) => {
      const answer = await this.#client.get(repo, '', {}, bounded);
      const repository = decodeRepository(answer?.data);
      if (repository === undefined) throw nonsense(this.#client.api.host, 'repository');
      this.#requireAllowed(repo, repository.fullName);
      if (!repository.hasWiki) return 'none';
      const credential = await this.#client.credential(repo);
      const remote = gitRemote(repository, 'wiki', credential, this.#client.api.host);
      // Beside the clone that indexing keeps, which another program may be at work on.
      const name = remote.name.replace(/\.git$/, '.tip.git');
      return this.#options.mirror.update({ ...remote, name, tipOnly: true }, bounded);
    });
  }

  /** A repository is followed to its new name, which the configuration may not allow. That name is told to nobody. */
  #requireAllowed(repo: string, now: string | undefined): void {
    if (now === undefined || isAllowed(this.#options.allowed ?? 'all', now)) return;
    const message = `${repo} has another name on ${this.#client.api.host} now, which the configuration does not allow`;
    throw new Failure('not_found', message);
  }

  /** GitHub does not tell what is not there from what the token may not see. */
  #missing(repo: string): Failure {
    const message = `${this.#client.api.host} has nothing under that path of ${repo} now, or does not show it to this token`;
    return new Failure('not_found', message);
  }

  async #bounded<Value>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const message = `${this.#client.api.host} did not answer within ${String(timeoutMs / 1000)} s`;
      controller.abort(new Failure('github_unavailable', message, { hint: 'Search again later.' }));
    }, timeoutMs);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      clearTimeout(timer);
    }
  }
}

const file = z.object({
  type: z.literal('file'),
  size: z.int(),
  encoding: z.string(),
  content: z.string(),
});

const page = z.object({ html_url: z.url() });

/** `owner/name` of the repository that a file is of, as the address of its page has it; undefined where there is none. */
function nameIn(data: unknown): string | undefined {
  const url = page.safeParse(data).data?.html_url;
  return url === undefined ? undefined : /^\/([^/]+\/[^/]+)\//.exec(new URL(url).pathname)?.[1];
}

/** Undefined for what is no file, and for a text that is not as long as GitHub says. */
function decodeFile(data: unknown): Uint8Array | 'too_large' | undefined {
  const parsed = file.safeParse(data);
  if (!parsed.success) return undefined;
  const { size, encoding, content } = parsed.data;
  if (size > MAX_LIVE_BYTES) return 'too_large';
  if (encoding !== 'base64') return undefined;
  const bytes = Buffer.from(content, 'base64');
  return bytes.length === size ? bytes : undefined;
}
