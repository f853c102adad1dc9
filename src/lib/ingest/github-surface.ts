import { type LeftOutItem, remoteItemSteps, type ThreadSize } from '../corpus/remote-items.ts';
import { documentKey } from '../corpus/store.ts';
import type { WriteStep } from '../engine/database.ts';
import type { RemoteItem } from '../engine/github.ts';
import { freshListMark } from './github-mark.ts';
import { documentOf } from './github-source.ts';
import { type BatchExtras, countSkipped, type Run, Surface, wants } from './run.ts';
import { leftOut } from './selection.ts';

/** One surface of a repository on GitHub: items become documents, and what is left out is written down beside them. */
export class GitHubSurface {
  readonly #run: Run;
  readonly #repo: string;
  readonly #surface: Surface;
  #leftOut: LeftOutItem[] = [];
  #notLeftOut: string[] = [];
  #sizes: ThreadSize[] = [];
  #beside: WriteStep[] = [];

  private constructor(run: Run, repo: string, surface: Surface) {
    this.#run = run;
    this.#repo = repo;
    this.#surface = surface;
  }

  /** Fails with `database_busy` while another run is at work on it. */
  static async open(run: Run, repo: string, name: string): Promise<GitHubSurface> {
    return new GitHubSurface(run, repo, await Surface.open(run, repo, name));
  }

  get mark(): string | null {
    return this.#surface.mark;
  }

  get full(): boolean {
    return this.#surface.full || this.#leftOut.length >= this.#run.batchDocuments;
  }

  /**
   * Takes an item: its document is written, or leaves the index where it is not to be in it. Gives its key; undefined for
   * what is not asked for. `since` (ms) leaves out what changed last before it.
   */
  take(item: RemoteItem, since: number | null): string | undefined {
    const document = documentOf(this.#run, this.#repo, item);
    if (!wants(this.#run, document.type)) return undefined;
    if (since !== null && document.updatedAt < since) {
      countSkipped(this.#run, 'before since');
      return undefined;
    }
    const key = documentKey(document);
    const reason = leftOut(document);
    if (reason === undefined) {
      this.#surface.add(document);
      if (document.commentId !== null) this.#notLeftOut.push(key);
    } else {
      countSkipped(this.#run, reason);
      this.#surface.remove(key);
      if (document.commentId !== null) {
        this.#leftOut.push({ key, repo: this.#repo, type: document.type, number: document.number });
      }
    }
    if (item.comments !== undefined && item.number !== null) this.size(item.number, item.comments);
    return key;
  }

  /** Has an item leave that GitHub does not have any more. */
  remove(key: string): void {
    this.#surface.remove(key);
    this.#notLeftOut.push(key);
  }

  /** Writes down how many comments a thread has. */
  size(number: number, comments: number): void {
    this.#sizes.push({ repo: this.#repo, number, comments });
  }

  /** Applied with the next batch. */
  also(steps: readonly WriteStep[]): void {
    this.#beside.push(...steps);
  }

  /** Stores what was taken and moves the watermark on; more is to come. Fails with `interrupted`. */
  async progress(after: string, more: BatchExtras = {}): Promise<void> {
    await this.#surface.progress(after, this.#with(more));
    this.#forget();
  }

  /** Stores the rest; the surface is done. Fails with `interrupted`. */
  async complete(after: string, more: BatchExtras = {}): Promise<void> {
    await this.#surface.complete(after, this.#with(more));
    this.#forget();
  }

  /** Stores what was taken and leaves the watermark of a list as it was found. Fails with `interrupted`. */
  async amend(): Promise<void> {
    await this.#surface.amend(JSON.stringify(freshListMark(null)), this.#with({}));
    this.#forget();
  }

  #with(more: BatchExtras): BatchExtras {
    const items = remoteItemSteps(this.#leftOut, this.#notLeftOut, lastSizes(this.#sizes));
    return { ...more, beside: [...(more.beside ?? []), ...this.#beside, ...items] };
  }

  #forget(): void {
    this.#leftOut = [];
    this.#notLeftOut = [];
    this.#sizes = [];
    this.#beside = [];
  }
}

function lastSizes(sizes: readonly ThreadSize[]): ThreadSize[] {
  return [...new Map(sizes.map((size) => [size.number, size])).values()];
}
