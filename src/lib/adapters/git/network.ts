import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { Failure } from '../../core/failure.ts';
import type { RemoteGit } from '../../engine/git-mirror.ts';

const OUTPUT_LIMIT = 256 << 20;
const STDERR_LIMIT = 8192;
const MISSING = /repository '[^']*' not found|returned error: 404|Repository not found/i;
const REFUSED =
  /Authentication failed|could not read (?:Username|Password)|returned error: (?:401|403)|terminal prompts disabled/i;
const NETWORK =
  /Could not resolve|Failed to connect|unable to access|timed out|early EOF|RPC failed|hung up|Connection (?:reset|refused)|returned error: (?:429|5\d\d)|expected flush|curl \d+/i;

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/**
 * Git that talks to one server over http(s). The token goes by the environment, for that server alone; nobody is asked
 * for a password, no hook and no other protocol runs, and redirects are not followed.
 */
export class NetworkGit {
  readonly #path: string;
  readonly #remote: RemoteGit;
  readonly #signal: AbortSignal;

  /** `path`: the clone, whose configuration is the only one that is read. */
  constructor(path: string, remote: RemoteGit, signal: AbortSignal) {
    this.#path = path;
    this.#remote = remote;
    this.#signal = signal;
  }

  /** HEAD, branches and tags of the server, as `git ls-remote --symref` prints them; undefined: no such repository. */
  async remoteRefs(): Promise<string | undefined> {
    const patterns = ['HEAD', 'refs/heads/*', 'refs/tags/*'];
    const ended = await this.#run(['ls-remote', '--symref', '--', this.#remote.url, ...patterns], true);
    if (ended.code === 0) return ended.output;
    if (MISSING.test(ended.complaint)) return undefined;
    throw this.#failure(ended);
  }

  /** `tipOnly`: without history. */
  async fetch(refs: readonly string[], tipOnly: boolean): Promise<void> {
    const options = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    if (tipOnly) options.push('--depth=1');
    const ended = await this.#run(['fetch', ...options, '--', this.#remote.url, ...refs], true);
    if (ended.code !== 0) throw this.#failure(ended);
  }

  /** A command on the clone itself, without the token; gives what it prints. */
  async local(args: readonly string[]): Promise<string> {
    const ended = await this.#run(args, false);
    if (ended.code !== 0) throw this.#failure(ended);
    return ended.output;
  }

  #run(args: readonly string[], network: boolean): Promise<Ended> {
    const signal = this.#signal;
    if (signal.aborted) throw interruption(signal);
    return new Promise((resolve, reject) => {
      const child = spawn('git', args, {
        cwd: this.#path,
        env: { ...cleanEnvironment(this.#path), ...(network && this.#networkConfig()) },
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        // A group of its own: what talks to the server is a child of git, and would hold the pipes until it answers.
        detached: true,
      });
      const pieces: Buffer[] = [];
      let size = 0;
      let complaint = '';
      // Git removes what it had begun to write, which a harder signal would leave there.
      const stop = (): void => {
        endGroup(child);
        child.stdout.destroy();
        child.stderr.destroy();
      };
      signal.addEventListener('abort', stop);
      child.stdout.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size <= OUTPUT_LIMIT) pieces.push(piece);
        else stop();
      });
      child.stderr.setEncoding('latin1').on('data', (text: string) => {
        complaint = (complaint + text).slice(-STDERR_LIMIT);
      });
      child.once('error', (error) => {
        signal.removeEventListener('abort', stop);
        reject(
          new Failure('not_a_repository', `git could not be started: ${error.message}`, {
            hint: 'Install git 2.39 or newer and see that it is on the PATH.',
          }),
        );
      });
      child.once('close', (code) => {
        signal.removeEventListener('abort', stop);
        if (signal.aborted) reject(interruption(signal));
        else resolve({ code: code ?? 1, output: Buffer.concat(pieces).toString('utf8'), complaint });
      });
    });
  }

  /** Configuration of these runs: it is in no file and in no argument. */
  #networkConfig(): NodeJS.ProcessEnv {
    const { url, token } = this.#remote;
    const { origin, protocol } = new URL(url);
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
    const settings: [string, string][] = [
      [`http.${origin}/.extraheader`, `Authorization: Basic ${basic}`],
      ['credential.helper', ''],
      ['core.askPass', ''],
      ['core.hooksPath', devNull],
      ['protocol.allow', 'never'],
      [`protocol.${protocol.slice(0, -1)}.allow`, 'always'],
      ['http.followRedirects', 'false'],
      ['http.lowSpeedLimit', '1'],
      ['http.lowSpeedTime', '60'],
      ['gc.autoDetach', 'false'],
      ['maintenance.autoDetach', 'false'],
    ];
    const numbered = settings.flatMap(([key, value], at): [string, string][] => [
      [`GIT_CONFIG_KEY_${String(at)}`, key],
      [`GIT_CONFIG_VALUE_${String(at)}`, value],
    ]);
    return Object.fromEntries([['GIT_CONFIG_COUNT', String(settings.length)], ...numbered]);
  }

  #failure({ complaint, code }: Ended): Failure {
    const { host } = new URL(this.#remote.url);
    if (REFUSED.test(complaint)) {
      return new Failure('credential_required', `${host} does not let this token clone the repository`, {
        hint: 'The token needs read access to the contents of the repository.',
      });
    }
    if (MISSING.test(complaint)) {
      return new Failure('not_found', `${host} has no such repository for git`, {
        hint: 'The token may lack read access to its contents.',
      });
    }
    if (NETWORK.test(complaint)) {
      return new Failure('github_unavailable', `git could not read from ${host}`, {
        hint: 'What came before is stored. Run the same command again later.',
      });
    }
    const line = complaint.split('\n').find((text) => /^(?:fatal|error): /.test(text)) ?? `exit code ${String(code)}`;
    // Git prints no header that it sends; should it ever, the token is not passed on.
    const shown = line.replaceAll(this.#remote.token, '***').replaceAll(/[^ -~]/g, '?');
    return new Failure('unreadable_input', `git could not bring the clone up to date: ${shown.slice(0, 200)}`);
  }
}

/** Ends a process with all that it started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It is over.
  }
}

function interruption(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  return new Failure('interrupted', 'cloning was interrupted', { cause: reason });
}

/** Nothing inherited that could steer git, and only the clone itself is looked at. */
function cleanEnvironment(path: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    // Tokens of the caller are no business of a child; git gets the one it needs another way.
    ([name]) => !/^(?:GIT_|LC_|LANG|GH_TOKEN$|GITHUB_TOKEN$|GH_ENTERPRISE_TOKEN$|GITHUB_ENTERPRISE_TOKEN$)/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_DIR: path,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
  };
}
