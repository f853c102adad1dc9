import type { Checkpoint } from '../../engine/checkpoint.ts';

/** Rows between two checkpoints: some hundredths of a second of the largest matrices. A multiple of four. */
const ROWS = 256;

/**
 * Works on rows in chunks, with a checkpoint behind each. `work` gets the first row of a chunk and the one behind its last;
 * loops in it stay in plain functions, which the compiler does best with.
 */
export async function inChunks(
  rows: number,
  checkpoint: Checkpoint,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < rows; from += ROWS) {
    work(from, Math.min(rows, from + ROWS));
    await checkpoint();
  }
}
