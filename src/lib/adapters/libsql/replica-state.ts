import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const replicaState = z.object({
  /** The server that the file is a copy of, without credentials. */
  primary: z.string(),
  /** When the copy was last in step, in milliseconds since the epoch; null: never yet. */
  synced_at: z.number().nullable(),
});

export type ReplicaState = z.output<typeof replicaState>;

/** What is known of a copy: kept in a file beside it. Undefined where nothing is, or it cannot be read. */
export function readReplicaState(file: string): ReplicaState | undefined {
  try {
    return replicaState.parse(JSON.parse(readFileSync(stateFile(file), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Replaces it as a whole: a reader sees the old one or the new one. */
export function writeReplicaState(file: string, state: ReplicaState): void {
  const next = `${stateFile(file)}.${String(process.pid)}`;
  writeFileSync(next, JSON.stringify(state), { mode: 0o600 });
  renameSync(next, stateFile(file));
}

/** Whether a file is the copy of a server's database: libSQL keeps its own notes beside such a file. */
export function isReplica(file: string): boolean {
  return existsSync(`${file}-info`);
}

function stateFile(file: string): string {
  return `${file}-synced`;
}
