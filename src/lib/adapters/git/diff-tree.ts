import type { FilePatch, ObjectId } from '../../engine/git.ts';
import type { GitChild, GitRunner } from './child.ts';
import { type Hunks, PATCH_TEXT_LIMIT, readHunks } from './hunks.ts';
import { isFileChange, PATH_LIMIT, type RawEntry, readRawEntries, readRawPaths } from './raw-entry.ts';
import { decodePath } from './text.ts';

/** Text of patches that is kept of one commit, bytes; the patches of its files after that are counted, but null. */
export const COMMIT_TEXT_LIMIT = 16 << 20;

const NUL = 0x00;
const NEWLINE = 0x0a;
const HEADER_LIMIT = 256;

// git repeats a line that is no object id, and flushes: so each answer ends with this line.
const END = 'end';

const COMMON = ['diff-tree', '--stdin', '--root', '-r', '-z', '--raw', '--no-abbrev', '--no-commit-id', '--no-color'];
const TEXT =
  '--patch --unified=3 --inter-hunk-context=0 --diff-algorithm=myers --indent-heuristic --full-index --no-ext-diff ' +
  '--no-textconv --src-prefix=a/ --dst-prefix=b/ --submodule=short --ignore-submodules=none --no-rename-empty -l1000';

/** What a request for patches gives; the renames are found by similarity of at least half. */
type Renames = '--find-renames=50%' | '--no-renames';

/**
 * One long-running `git diff-tree --stdin`. Requests are answered in order. A request for objects that are missing or
 * broken ends the process; it is answered with null, and the next process takes over the requests after it.
 */
abstract class DiffTree<Answer> {
  readonly #git: GitRunner;
  readonly #args: readonly string[];
  #open: string[] = [];
  #child: GitChild | undefined;

  constructor(git: GitRunner, args: readonly string[]) {
    this.#git = git;
    this.#args = args;
  }

  /** Asks for what a commit changes against its parents, or against the one given. */
  request(commit: ObjectId, parent?: ObjectId): void {
    const line = parent === undefined ? commit : `${commit} ${parent}`;
    this.#open.push(line);
    if (this.#child !== undefined) this.#child.write(`${line}\n${END}\n`);
  }

  /** The answer to the oldest open request; null when an object is missing or broken. Fails as `GitChild.unexpectedEnd`. */
  async read(): Promise<Answer | null> {
    if (this.#child === undefined) {
      this.#child = this.#git.start(this.#args);
      for (const line of this.#open) this.#child.write(`${line}\n${END}\n`);
    }
    const child = this.#child;
    const answer = await this.parse(child);
    this.#open.shift();
    if (answer !== null) return answer;
    child.closeInput();
    await child.output.rest(0);
    if (!(await child.diedOfDamage())) throw await child.unexpectedEnd();
    this.#child = undefined;
    return null;
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
  }

  protected abstract parse(child: GitChild): Promise<Answer | null>;
}

/** Which files commits change, of a merge those that differ from every parent. Reads no file contents, finds no renames. */
export class ChangedFiles extends DiffTree<RawEntry[]> {
  constructor(git: GitRunner) {
    super(git, [...COMMON, '-c', '--no-renames']);
  }

  protected async parse({ output }: GitChild): Promise<RawEntry[] | null> {
    const entries = await readRawEntries(output);
    const end = await output.record(NEWLINE, HEADER_LIMIT);
    return end?.toString('latin1') === END ? entries : null;
  }
}

/** As {@link ChangedFiles}, and of the files only their paths. */
export class ChangedPaths extends DiffTree<string[]> {
  constructor(git: GitRunner) {
    super(git, [...COMMON, '-c', '--no-renames']);
  }

  protected async parse({ output }: GitChild): Promise<string[] | null> {
    const paths = await readRawPaths(output);
    const end = await output.record(NEWLINE, HEADER_LIMIT);
    return end?.toString('latin1') === END ? paths : null;
  }
}

/** What commits with one parent, or merges against a parent that is given, change in files. */
export class Patches extends DiffTree<FilePatch[]> {
  /** With `paths`, only those files (and, for a path that was a directory, what was in it) are looked at. */
  constructor(git: GitRunner, renames: Renames, paths: readonly string[] = []) {
    const finding = renames === '--no-renames' ? [renames] : [renames, '--find-copies=50%'];
    super(git, [...COMMON, ...TEXT.split(' '), ...finding, '--', ...paths]);
  }

  protected async parse({ output }: GitChild): Promise<FilePatch[] | null> {
    const entries = await readRawEntries(output);
    if (entries === null) return null;
    if ((await output.peek()) === NUL) await output.exactly(1);
    const next = async (): Promise<string | null> =>
      (output.recordNow(NEWLINE, HEADER_LIMIT) ?? (await output.record(NEWLINE, HEADER_LIMIT)))?.toString('latin1') ??
      null;
    const files: FilePatch[] = [];
    let budget = COMMIT_TEXT_LIMIT;
    let line = await next();
    for (const entry of entries) {
      let hunks: Hunks | null = { text: '', additions: 0, deletions: 0 };
      let binary = false;
      // A change of type is given as the deletion of one thing and the creation of another.
      for (let part = entry.status === 'type_changed' ? 2 : 1; part > 0; part -= 1) {
        if (line?.startsWith('diff --git ') !== true) return null;
        do {
          line = await next();
          if (line?.startsWith('Binary files ') === true) binary = true;
          if (line?.startsWith('--- ') !== true) continue;
          await next();
          hunks = await readHunks(output, Math.min(PATCH_TEXT_LIMIT, Math.max(budget, 0)));
        } while (line !== null && hunks !== null && line !== END && !line.startsWith('diff --git '));
        if (line === null || hunks === null) return null;
      }
      if (entry.path.length > PATH_LIMIT) continue;
      const file = filePatch(entry, binary, hunks);
      budget -= file.patch?.length ?? 0;
      files.push(file);
    }
    return line === END ? files : null;
  }
}

/** A changed file with its hunks; those of symbolic links and submodules are no text of a file and are left out. */
export function filePatch(entry: RawEntry, binary: boolean, hunks: Hunks | null): FilePatch {
  const isFile = isFileChange(entry);
  return {
    path: decodePath(entry.path),
    previousPath: entry.previousPath === null ? null : decodePath(entry.previousPath),
    status: entry.status,
    patch: isFile && !binary && hunks !== null ? hunks.text : null,
    binary: isFile && binary,
    additions: isFile ? (hunks?.additions ?? 0) : 0,
    deletions: isFile ? (hunks?.deletions ?? 0) : 0,
  };
}
