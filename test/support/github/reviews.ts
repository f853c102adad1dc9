import { Shelf } from './shelf.ts';
import type { Pull, Review, ReviewComment } from './state.ts';
import type { Threads } from './threads.ts';
import type { World } from './world.ts';

export interface NewReview {
  readonly body?: string;
  readonly state?: Review['state'];
  readonly by?: string | null;
}

export interface NewReviewComment {
  readonly body: string;
  readonly path?: string;
  readonly line?: number;
  readonly hunk?: string;
  readonly by?: string | null;
  /** Id of the review it belongs to; without it, it gets a review without text of its own, as on GitHub. */
  readonly review?: number;
  readonly replyTo?: number;
}

/** Reviews of pull requests, and the comments on lines that belong to them. */
export class Reviews {
  readonly comments = new Shelf<ReviewComment>();
  readonly #reviews = new Map<number, Review>();
  readonly #threads: Threads;
  readonly #world: World;

  constructor(threads: Threads, world: World) {
    this.#threads = threads;
    this.#world = world;
  }

  submit(pull: number, fields: NewReview = {}): Review {
    const id = this.#world.id('review');
    const now = this.#world.now();
    const state = fields.state ?? 'COMMENTED';
    const { headSha, reviews } = this.#pull(pull);
    reviews.add(id);
    const review: Review = {
      id,
      pull,
      body: fields.body ?? '',
      state,
      user: this.#user(fields.by),
      submittedAt: state === 'PENDING' ? null : now,
      updatedAt: now,
      commit: headSha,
    };
    this.#reviews.set(id, review);
    if (state !== 'PENDING') this.#threads.touch(pull);
    return review;
  }

  edit(id: number, body: string): void {
    const review = this.get(id);
    review.body = body;
    this.#changed(review);
  }

  dismiss(id: number): void {
    const review = this.get(id);
    review.state = 'DISMISSED';
    this.#changed(review);
  }

  addComment(pull: number, fields: NewReviewComment): ReviewComment {
    const id = this.#world.id('reviewComment');
    const now = this.#world.now();
    const by = fields.by === undefined ? {} : { by: fields.by };
    const review = fields.review === undefined ? this.submit(pull, by) : this.get(fields.review);
    this.#pull(pull).comments.add(id);
    this.#threads.touch(pull);
    return this.comments.add({
      id,
      pull,
      review: review.id,
      replyTo: fields.replyTo ?? null,
      path: fields.path ?? 'README.md',
      line: fields.line ?? 1,
      hunk: fields.hunk ?? '@@ -1 +1 @@\n-old\n+new',
      body: fields.body,
      user: this.#user(fields.by),
      createdAt: now,
      updatedAt: now,
      commit: review.commit,
    });
  }

  editComment(id: number, body: string): void {
    const comment = this.comments.get(id);
    comment.body = body;
    comment.updatedAt = this.#world.now();
    this.comments.changed();
    this.#touch(comment.pull);
  }

  deleteComment(id: number): void {
    const { pull } = this.comments.get(id);
    this.comments.remove(id);
    this.#pull(pull).comments.delete(id);
    this.#touch(pull);
  }

  get(id: number): Review {
    const review = this.#reviews.get(id);
    if (review === undefined) throw new Error(`the fake GitHub has no review ${String(id)} here`);
    return review;
  }

  /** Of one pull request, oldest first, without pending ones. */
  of(pull: number): Review[] {
    return [...this.#pull(pull).reviews].map((id) => this.get(id)).filter(({ state }) => state !== 'PENDING');
  }

  #changed(review: Review): void {
    review.updatedAt = this.#world.now();
    this.#touch(review.pull);
  }

  #touch(pull: number): void {
    if (this.#world.quirks.touchThreads) this.#threads.touch(pull);
  }

  #user(by: string | null | undefined): Review['user'] {
    return by === null ? null : this.#world.user(by ?? 'grace');
  }

  #pull(number: number): Pull {
    const { pull } = this.#threads.get(number);
    if (pull === null) throw new Error(`#${String(number)} is no pull request`);
    return pull;
  }
}
