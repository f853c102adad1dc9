import { Shelf } from './shelf.ts';
import type { Gone, IssueComment, Label, Milestone, Pull, Thread, User } from './state.ts';
import type { World } from './world.ts';

export interface NewThread {
  readonly title?: string;
  readonly body?: string | null;
  /** Login, or null for an account that was deleted. */
  readonly by?: string | null;
  readonly labels?: readonly string[];
  readonly milestone?: string | null;
}

export interface NewPull extends NewThread {
  readonly draft?: boolean;
  readonly head?: string;
  readonly base?: string;
}

/** What threads know of their repository. */
interface Home {
  readonly id: number;
  readonly fullName: string;
  readonly defaultBranch: string;
}

/** Issues and pull requests of a repository. Every change stamps `updatedAt`. */
export class Threads {
  readonly shelf = new Shelf<Thread>();
  readonly #byNumber = new Map<number, Thread>();
  readonly #gone = new Map<number, Gone>();
  readonly #labels = new Map<string, Label>();
  readonly #milestones = new Map<string, Milestone>();
  readonly #home: Home;
  readonly #comments: Shelf<IssueComment>;
  readonly #world: World;
  #lastNumber = 0;

  constructor(home: Home, world: World, comments: Shelf<IssueComment>) {
    this.#home = home;
    this.#comments = comments;
    this.#world = world;
  }

  openIssue(fields: NewThread = {}): Thread {
    return this.#open(fields, null);
  }

  openPull(fields: NewPull = {}): Thread {
    const id = this.#world.id('pull');
    return this.#open(fields, {
      id,
      draft: fields.draft ?? false,
      mergedAt: null,
      head: fields.head ?? `branch-${String(id)}`,
      base: fields.base ?? this.#home.defaultBranch,
      headSha: id.toString(16).padStart(40, '0'),
      reviews: new Set(),
      comments: new Set(),
    });
  }

  edit(number: number, changes: Omit<NewThread, 'by'> & { locked?: boolean; by?: string | null }): void {
    const thread = this.get(number);
    if (changes.title !== undefined) thread.title = changes.title;
    if (changes.body !== undefined) thread.body = changes.body;
    if (changes.by !== undefined) thread.user = this.#user(changes.by);
    if (changes.labels !== undefined) thread.labels = changes.labels.map((name) => this.label(name));
    if (changes.milestone !== undefined) thread.milestone = this.#milestone(changes.milestone);
    if (changes.locked !== undefined) thread.locked = changes.locked;
    this.touch(number);
  }

  close(number: number, reason: 'completed' | 'not_planned' | 'duplicate' = 'completed'): void {
    const thread = this.get(number);
    thread.state = 'closed';
    thread.stateReason = thread.pull === null ? reason : null;
    thread.closedAt = this.#world.now();
    this.touch(number);
  }

  reopen(number: number): void {
    const thread = this.get(number);
    thread.state = 'open';
    thread.stateReason = thread.pull === null ? 'reopened' : null;
    thread.closedAt = null;
    this.touch(number);
  }

  merge(number: number): void {
    const { pull } = this.get(number);
    if (pull === null) throw new Error(`#${String(number)} is no pull request`);
    this.close(number);
    pull.mergedAt = this.#world.now();
  }

  /** The issue and its comments are gone, its number answers 410. GitHub deletes issues only. */
  delete(number: number): void {
    const thread = this.get(number);
    if (thread.pull !== null) throw new Error('GitHub does not delete pull requests');
    for (const id of thread.comments) this.#comments.remove(id);
    this.#leave(thread, 'deleted');
  }

  /**
   * Moves an issue to another repository, where it gets a new id and the next number. Its comments keep their times:
   * a list of comments by `since` there does not show those that are older.
   */
  transfer(number: number, to: { readonly id: number; readonly threads: Threads }): Thread {
    const thread = this.get(number);
    if (thread.pull !== null) throw new Error('GitHub does not transfer pull requests');
    const moved = to.threads.#receive(thread);
    for (const id of thread.comments) {
      const comment = this.#comments.get(id);
      this.#comments.remove(id);
      to.threads.#comments.add({ ...comment, thread: moved.number });
    }
    this.#leave(thread, { repository: to.id, number: moved.number });
    return moved;
  }

  /** Fails for a number that is no thread, or none any more. */
  get(number: number): Thread {
    const thread = this.find(number);
    if (thread === undefined) throw new Error(`${this.#home.fullName} has no #${String(number)}`);
    return thread;
  }

  find(number: number): Thread | undefined {
    return this.#byNumber.get(number);
  }

  gone(number: number): Gone | undefined {
    return this.#gone.get(number);
  }

  /** Stamps the thread with the present second. */
  touch(number: number): void {
    this.get(number).updatedAt = this.#world.now();
    this.shelf.changed();
  }

  label(name: string): Label {
    const known = this.#labels.get(name);
    if (known !== undefined) return known;
    const label: Label = { id: this.#world.id('label'), name, color: 'ededed', description: '' };
    this.#labels.set(name, label);
    return label;
  }

  #milestone(title: string | null): Milestone | null {
    if (title === null) return null;
    const known = this.#milestones.get(title);
    if (known !== undefined) return known;
    const number = this.#milestones.size + 1;
    const milestone = { id: this.#world.id('milestone'), number, title, createdAt: this.#world.now() };
    this.#milestones.set(title, milestone);
    return milestone;
  }

  #user(login: string | null): User | null {
    return login === null ? null : this.#world.user(login);
  }

  #open(fields: NewThread, pull: Pull | null): Thread {
    const number = ++this.#lastNumber;
    const now = this.#world.now();
    return this.#keep({
      id: this.#world.id('issue'),
      number,
      pull,
      title: fields.title ?? `Title of #${String(number)}`,
      body: fields.body === undefined ? `Body of #${String(number)}` : fields.body,
      state: 'open',
      stateReason: null,
      locked: false,
      user: this.#user(fields.by === undefined ? 'ada' : fields.by),
      labels: (fields.labels ?? []).map((name) => this.label(name)),
      milestone: this.#milestone(fields.milestone ?? null),
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      comments: new Set(),
    });
  }

  #receive(thread: Thread): Thread {
    const number = ++this.#lastNumber;
    const labels = thread.labels.map(({ name }) => this.label(name));
    const fresh = { id: this.#world.id('issue'), number, labels, milestone: null, updatedAt: this.#world.now() };
    return this.#keep({ ...thread, ...fresh, comments: new Set(thread.comments) });
  }

  #keep(thread: Thread): Thread {
    this.#byNumber.set(thread.number, thread);
    return this.shelf.add(thread);
  }

  #leave(thread: Thread, gone: Gone): void {
    this.#byNumber.delete(thread.number);
    this.shelf.remove(thread.id);
    this.#gone.set(thread.number, gone);
  }
}
