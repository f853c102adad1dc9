import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleForNode } from '../bundle.ts';
import { temporaryDirectory } from '../repository.ts';
import type { FaultPlan } from './faults.ts';
import type { Command } from './process.ts';
import type { RequestRecord, ServerOptions } from './server.ts';

export type HranaOptions = Partial<ServerOptions>;

/** A remote libSQL database in a process of its own. */
export interface Hrana {
  readonly url: string;
  readonly port: number;
  /** The file it serves, for looking into it directly. */
  readonly file: string;
  readonly token: string;
  /** With it, writes are refused. */
  readonly readOnlyToken: string;
  /** Requests with SQL that arrived, pipelines and cursors, since the start or the last reset. */
  requests(): Promise<number>;
  /** What each of them did. */
  log(): Promise<RequestRecord[]>;
  /** Forgets the requests; planned faults stay. */
  reset(): Promise<void>;
  /** Replaces the planned faults; `{}` ends them. */
  fault(plan: FaultPlan): Promise<void>;
  /** Goes away, also for those that wait for it. A file given by the caller stays and can be served again. */
  stop(): Promise<void>;
}

interface Reply {
  readonly id: number;
  readonly log: RequestRecord[];
}

/** Starts a server on a free port of the loopback address. It ends with {@link Hrana.stop}, or with this process. */
export async function startHrana(options: HranaOptions = {}): Promise<Hrana> {
  const directory = options.file === undefined ? temporaryDirectory() : null;
  const settings: ServerOptions = {
    file: join(directory ?? '', 'remote.db'),
    port: 0,
    token: 'token-to-write',
    readOnlyToken: 'token-to-read',
    streamTtlMs: 10_000,
    lockTimeoutMs: 10_000,
    transactionTtlMs: 5000,
    ...options,
  };
  const program = await bundleForNode(new URL('./process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const started = await Promise.race([once(lines, 'line'), exited.then(() => null)]);
  if (started === null) throw new Error('the Hrana server did not start');
  const { port } = JSON.parse(String(started[0])) as { port: number };

  const waiting = new Map<number, (reply: Reply) => void>();
  lines.on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let commands = 0;
  const ask = async (command: DistributiveOmit<Command, 'id'>): Promise<RequestRecord[]> => {
    const id = ++commands;
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    return (await Promise.race([reply, exited.then(() => gone())])).log;
  };
  return {
    url: `http://127.0.0.1:${String(port)}`,
    port,
    file: settings.file,
    token: settings.token,
    readOnlyToken: settings.readOnlyToken,
    requests: async () => (await ask({ do: 'log' })).length,
    log: () => ask({ do: 'log' }),
    reset: async () => {
      await ask({ do: 'forget' });
    },
    fault: async (plan) => {
      await ask({ do: 'fault', plan });
    },
    stop: async () => {
      child.stdin.end();
      await exited;
      if (directory !== null) rmSync(directory, { recursive: true, force: true });
    },
  };
}

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

function gone(): never {
  throw new Error('the Hrana server has ended');
}
