import type { CommitRange, ObjectId } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { millisecondsOf } from './object-text.ts';

const NEWLINE = 0x0a;
const LINE_LIMIT = 1 << 20;

export interface Revision {
  readonly id: ObjectId;
  /** Empty for a commit at which a shallow clone was cut. */
  readonly parents: readonly ObjectId[];
  /** Committer date, milliseconds. */
  readonly time: number;
}

/**
 * The commits of a range, newest first. `since` and `skip` are applied here: git's own --since stops walking at the first
 * old commits, and so loses newer ones behind a commit with a wrong clock. Every id of the range must exist.
 */
export async function* revisions(git: GitRunner, range: CommitRange): AsyncGenerator<Revision> {
  const child = git.start(['rev-list', '--timestamp', '--parents', '--stdin']);
  try {
    for (const line of [range.from, ...range.not.map((id) => `^${id}`)]) child.write(`${line}\n`);
    child.closeInput();
    let skip = range.skip ?? 0;
    for (;;) {
      const line = child.output.recordNow(NEWLINE, LINE_LIMIT) ?? (await child.output.record(NEWLINE, LINE_LIMIT));
      if (line === null) break;
      const [seconds = '', id = '', ...parents] = line.toString('latin1').split(' ');
      const time = millisecondsOf(seconds);
      if (range.since !== undefined && time < range.since) continue;
      if (skip > 0) skip -= 1;
      else yield { id, parents, time };
    }
    await child.finish();
  } finally {
    await child.stop();
  }
}
