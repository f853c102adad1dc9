import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What the child runs: it syncs once for every line of its input, a JSON object, and answers with a line: empty, or an
 * error. It ends with its input.
 */
const PROGRAM = `
const Libsql = require(process.argv[1]);
let db;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { file, syncUrl, authToken } = JSON.parse(line);
  let answer = '';
  try {
    db ??= new Libsql(file, { syncUrl, authToken });
    db.sync();
  } catch (error) {
    answer = String(error && error.message).replace(/\\s+/g, ' ') || 'failed';
  }
  process.stdout.write(answer + '\\n');
}).on('close', () => process.exit());
`;

/** Of another process that brings the same copy up to date. */
const OCCUPIED = /wal_insert_begin|locked|busy/i;
const OCCUPIED_RETRIES = 40;
const OCCUPIED_PAUSE_MS = 25;

const ENDED = 'ended';

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Brings a local copy up to date with its server. The native library does that in one call that blocks the thread, has no
 * timeout, and does not end while the server is written to faster than it reads: so a process of its own makes the call.
 */
export class ReplicaSync {
  readonly #request: string;
  #running: { readonly child: Child; readonly lines: Interface } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(copy: { readonly file: string; readonly url: string; readonly token: string | undefined }) {
    const { file, url, token = '' } = copy;
    this.#request = `${JSON.stringify({ file, syncUrl: url, authToken: token })}\n`;
  }

  /**
   * Syncs after every sync that was asked for before. Tells whether the copy is in step now; false also when that takes
   * longer than `patienceMs` (it goes on all the same), unless `progress` has grown in that time.
   */
  async run(patienceMs: number, progress = (): number => 0): Promise<boolean> {
    const turn = this.#last.then(() => this.#sync());
    this.#last = turn;
    for (let before = progress(); ; before = progress()) {
      const impatience = new AbortController();
      const waited = delay(patienceMs, null, { signal: impatience.signal }).catch(() => null);
      const inStep = await Promise.race([turn, waited]);
      impatience.abort();
      if (inStep !== null) return inStep;
      if (progress() <= before) return false;
    }
  }

  /** Ends the process, also in the middle of a sync: the copy is then as after a crash, which it survives. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || running.child.exitCode !== null) return;
    const exited = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await exited;
  }

  async #sync(): Promise<boolean> {
    for (let tries = 0; tries <= OCCUPIED_RETRIES; tries += 1) {
      const answer = await this.#ask();
      if (answer === '') return true;
      if (!OCCUPIED.test(answer)) return false;
      await delay(OCCUPIED_PAUSE_MS);
    }
    return false;
  }

  async #ask(): Promise<string> {
    const { child, lines } = (this.#running ??= start());
    const done = new AbortController();
    const { signal } = done;
    const answer = once(lines, 'line', { signal }).then(([line]) => String(line));
    const end = once(lines, 'close', { signal }).then(() => ENDED);
    child.stdin.write(this.#request);
    try {
      const given = await Promise.race([answer, end]);
      if (given === ENDED) this.#running = undefined;
      return given;
    } finally {
      // The one that lost the race is rejected, which nobody waits for.
      answer.catch(() => undefined);
      end.catch(() => undefined);
      done.abort();
    }
  }
}

function start(): { child: Child; lines: Interface } {
  const library = createRequire(import.meta.url).resolve('libsql');
  const child = spawn(process.execPath, ['-e', PROGRAM, library], { stdio: ['pipe', 'pipe', 'ignore'] });
  // The end of the process is told by the end of its output.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return { child, lines: createInterface({ input: child.stdout }) };
}
