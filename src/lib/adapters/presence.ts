import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { sha256Hex } from '../core/hash.ts';
import type { Presence } from '../engine/presence.ts';

/** Work of this process that is under way. */
const running = new Set<string>();

/** Tells machines apart without giving their names away. */
function machine(): string {
  return sha256Hex(hostname()).slice(0, 12);
}

/** Names work `machine/process id/random`; a process that is gone has no work. */
export const systemPresence: Presence = {
  begin() {
    const name = `${machine()}/${String(process.pid)}/${randomUUID()}`;
    running.add(name);
    return { name, end: () => running.delete(name) };
  },
  mayRun(name) {
    const [where, pid] = name.split('/');
    if (where !== machine()) return true;
    return Number(pid) === process.pid ? running.has(name) : isAlive(Number(pid));
  },
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, but another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
