import type { Shelf } from './shelf.ts';
import type { IssueComment } from './state.ts';
import type { Threads } from './threads.ts';
import type { World } from './world.ts';

/** Comments on issues and pull requests. */
export class Comments {
  readonly shelf: Shelf<IssueComment>;
  readonly #threads: Threads;
  readonly #world: World;

  constructor(threads: Threads, world: World, shelf: Shelf<IssueComment>) {
    this.#threads = threads;
    this.shelf = shelf;
    this.#world = world;
  }

  /** `by` is a login, or null for an account that was deleted. */
  add(thread: number, body: string, by: string | null = 'ada'): IssueComment {
    const id = this.#world.id('comment');
    const now = this.#world.now();
    this.#threads.get(thread).comments.add(id);
    this.#threads.touch(thread);
    const user = by === null ? null : this.#world.user(by);
    return this.shelf.add({ id, thread, body, user, createdAt: now, updatedAt: now });
  }

  edit(id: number, body: string): void {
    const comment = this.shelf.get(id);
    comment.body = body;
    comment.updatedAt = this.#world.now();
    this.shelf.changed();
    this.#touch(comment.thread);
  }

  delete(id: number): void {
    const { thread } = this.shelf.get(id);
    this.shelf.remove(id);
    this.#threads.get(thread).comments.delete(id);
    this.#touch(thread);
  }

  #touch(thread: number): void {
    if (this.#world.quirks.touchThreads) this.#threads.touch(thread);
  }
}
