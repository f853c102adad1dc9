import { Failure } from '../core/failure.ts';
import type { Files } from '../engine/files.ts';

const OWNER_AND_NAME = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;

/** What a target of `index` is. Fails with `unreadable_input` when it is nothing that can be indexed. */
export async function targetKind(files: Files, target: string): Promise<'git' | 'export'> {
  const kind = await files.kind(target);
  if (kind === 'directory') return 'git';
  if (kind === 'file') return 'export';
  throw new Failure('unreadable_input', `there is no file or folder ${target}`, {
    hint: OWNER_AND_NAME.test(target)
      ? 'Clone the repository first, then give the path of the clone.'
      : 'Give the path of a git repository or of an export file (.jsonl or .jsonl.gz).',
  });
}
