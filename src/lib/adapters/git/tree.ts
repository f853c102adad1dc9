import type { ObjectId, TreeEntry } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { PATH_LIMIT } from './raw-entry.ts';
import { decodePath } from './text.ts';

const NUL = 0x00;
const TAB = 0x09;
const FIELDS_LIMIT = 128;

/** The regular files of a commit's tree, in the order of git. Fails with `unreadable_input` where a tree is missing. */
export async function* treeEntries(git: GitRunner, commit: ObjectId): AsyncGenerator<TreeEntry> {
  const child = git.start(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const limit = FIELDS_LIMIT + PATH_LIMIT;
  child.closeInput();
  try {
    for (;;) {
      const entry = child.output.recordNow(NUL, limit) ?? (await child.output.record(NUL, limit));
      if (entry === null) break;
      const tab = entry.indexOf(TAB);
      const [mode = '', , blob = ''] = entry.toString('latin1', 0, tab).split(' ');
      const path = entry.subarray(tab + 1);
      if (mode.startsWith('100') && path.length <= PATH_LIMIT) yield { path: decodePath(path), blob };
    }
    await child.finish();
  } finally {
    await child.stop();
  }
}
