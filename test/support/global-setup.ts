import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDirectory } from './build-directory.ts';

/** A file system in memory, and how much of it must be free: containers often have very little. */
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 ** 30;

const made: string[] = [];

/**
 * Gives a run its temporary folder, where possible in memory: a database commits to a disk four times as slowly, and no
 * test cuts the power. Also a folder for builds.
 */
export function setup(): void {
  // Called for each project of a run.
  if (process.env.GH_RAG_TEST_BUILDS !== undefined) return;
  const temporary = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'gh-rag-tests-'));
  const builds = buildDirectory();
  // Workers, and what they start, inherit these.
  process.env.TMPDIR = temporary;
  process.env.GH_RAG_TEST_BUILDS = builds;
  // Each start of Node would read all the certificates; no test meets one.
  delete process.env.NODE_EXTRA_CA_CERTS;
  made.push(temporary, builds);
}

/** Removes both, with whatever a test that was killed left there. */
export function teardown(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

function hasRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
