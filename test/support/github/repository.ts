import { type Files, TestRepository } from '../repository.ts';
import { Comments } from './comments.ts';
import { Releases } from './releases.ts';
import { Reviews } from './reviews.ts';
import { Shelf } from './shelf.ts';
import type { IssueComment, Thread, User } from './state.ts';
import { Threads } from './threads.ts';
import type { World } from './world.ts';

export interface NewRepository {
  readonly private?: boolean;
  readonly archived?: boolean;
  readonly hasIssues?: boolean;
  readonly hasPulls?: boolean;
  /** Whether the wiki is switched on; GitHub makes its repository with the first page only ({@link Repository.wiki}). */
  readonly hasWiki?: boolean;
  readonly defaultBranch?: string;
  readonly description?: string | null;
}

/** A repository with its conversations, and on disk its git repositories, each made at the first use. */
export class Repository {
  readonly id: number;
  readonly threads: Threads;
  readonly comments: Comments;
  readonly reviews: Reviews;
  readonly releases: Releases;
  readonly createdAt: number;
  owner: User;
  name: string;
  defaultBranch: string;
  description: string | null;
  private: boolean;
  archived: boolean;
  hasIssues: boolean;
  hasPulls: boolean;
  hasWiki: boolean;
  updatedAt: number;
  pushedAt: number;
  readonly #world: World;
  #git: TestRepository | undefined;
  #wiki: TestRepository | undefined;

  constructor(world: World, owner: User, name: string, fields: NewRepository = {}) {
    this.#world = world;
    this.id = world.id('repository');
    this.owner = owner;
    this.name = name;
    this.private = fields.private ?? false;
    this.archived = fields.archived ?? false;
    this.hasIssues = fields.hasIssues ?? true;
    this.hasPulls = fields.hasPulls ?? true;
    this.hasWiki = fields.hasWiki ?? true;
    this.defaultBranch = fields.defaultBranch ?? 'main';
    this.description = fields.description ?? null;
    this.createdAt = world.now();
    this.updatedAt = this.createdAt;
    this.pushedAt = this.createdAt;
    const comments = new Shelf<IssueComment>();
    this.threads = new Threads(this, world, comments);
    this.comments = new Comments(this.threads, world, comments);
    this.reviews = new Reviews(this.threads, world);
    this.releases = new Releases(world);
  }

  get fullName(): string {
    return `${this.owner.login}/${this.name}`;
  }

  /** The code. Commits made here directly are served; {@link push} also says so in `pushed_at`. */
  get git(): TestRepository {
    if (this.#git === undefined) {
      this.#git = TestRepository.init();
      this.#git.git('symbolic-ref', 'HEAD', `refs/heads/${this.defaultBranch}`);
    }
    return this.#git;
  }

  /** The wiki's repository; it exists from the first time a test asks for it. */
  get wiki(): TestRepository {
    if (this.#wiki === undefined) {
      this.#wiki = TestRepository.init();
      this.#wiki.git('symbolic-ref', 'HEAD', 'refs/heads/master');
    }
    return this.#wiki;
  }

  /** The wiki's repository if there is one. */
  get existingWiki(): TestRepository | undefined {
    return this.hasWiki ? this.#wiki : undefined;
  }

  /** Commits files to the default branch. Gives the commit's id. */
  push(message: string, files: Files): string {
    this.pushedAt = this.#world.now();
    return this.git.commit(message, files);
  }

  /** Takes the newest `drop` commits of the default branch away and commits files on what is left. */
  forcePush(message: string, files: Files, drop = 1): string {
    this.git.git('reset', '--quiet', '--hard', `HEAD~${String(drop)}`);
    return this.push(message, files);
  }

  /** Renames the default branch; the old one is gone. */
  renameDefaultBranch(name: string): void {
    this.git.git('branch', '--quiet', '--move', this.defaultBranch, name);
    this.defaultBranch = name;
    this.stamp();
  }

  archive(): void {
    this.archived = true;
    this.stamp();
  }

  setPrivate(value: boolean): void {
    this.private = value;
    this.stamp();
  }

  /** Whether issues and pull requests of that kind are seen: nothing of it changes when it is switched off or on. */
  shows({ pull }: Pick<Thread, 'pull'>): boolean {
    return pull === null ? this.hasIssues : this.hasPulls;
  }

  /** Stamps `updated_at`, after a change of these fields. */
  stamp(): void {
    this.updatedAt = this.#world.now();
  }

  /** Removes what is on disk. */
  dispose(): void {
    this.#git?.remove();
    this.#wiki?.remove();
  }
}
