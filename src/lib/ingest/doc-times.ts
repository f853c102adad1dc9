import type { GitRepository, ObjectId } from '../engine/git.ts';

/** What is known of a history up to one commit: the basis on which a later commit is looked at. */
export interface KnownHistory {
  readonly head: ObjectId;
  /** Newest committer date (ms) of a commit in it that touched anything. */
  readonly newest: number;
}

/**
 * When files were last touched: the newest committer date of a commit that touched the path. Of a history that is known
 * up to some commit only the rest is walked, as long as that gives the same times as a walk over all of it.
 */
export class DocTimes {
  readonly #repository: GitRepository;
  readonly #head: ObjectId;
  readonly #known: KnownHistory | undefined;
  readonly #recent: ReadonlyMap<string, number>;
  #all: ReadonlyMap<string, number> | undefined;

  private constructor(
    repository: GitRepository,
    head: ObjectId,
    known: KnownHistory | undefined,
    touched: ReadonlyMap<string, number>,
  ) {
    this.#repository = repository;
    this.#head = head;
    this.#known = known;
    this.#recent = touched;
    this.#all = known === undefined ? touched : undefined;
  }

  static async of(repository: GitRepository, head: ObjectId, known: KnownHistory | undefined): Promise<DocTimes> {
    const touched = await repository.touched({ from: head, not: known === undefined ? [] : [known.head] });
    return new DocTimes(repository, head, known, touched);
  }

  /** Whether a path was touched after the known history. */
  isRecent(path: string): boolean {
    return this.#recent.has(path);
  }

  /**
   * The time of a path whose time in the known history is `before` (undefined: it is not known), in milliseconds; 0 where
   * no commit that is here touched it. Undefined where only {@link search} can tell.
   */
  quick(path: string, before: number | undefined): number | undefined {
    if (this.#all !== undefined) return this.#all.get(path) ?? 0;
    const recent = this.#recent.get(path) ?? 0;
    if (before !== undefined) return Math.max(before, recent);
    // A file that was deleted and came back may have been touched later than now, on another branch or by another clock.
    return this.#known !== undefined && recent > 0 && recent >= this.#known.newest ? recent : undefined;
  }

  /** The time of a path from the whole history, which is walked once. */
  async search(path: string): Promise<number> {
    this.#all ??= await this.#repository.touched({ from: this.#head, not: [] });
    return this.#all.get(path) ?? 0;
  }

  /** Newest time of any path, ms. */
  get newest(): number {
    let newest = this.#known?.newest ?? 0;
    for (const time of this.#recent.values()) newest = Math.max(newest, time);
    return newest;
  }
}
