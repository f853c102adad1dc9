import { Shelf } from './shelf.ts';
import type { Release } from './state.ts';
import type { World } from './world.ts';

export interface NewRelease {
  readonly tag: string;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean;
  readonly prerelease?: boolean;
  readonly by?: string;
}

/** Releases of a repository. */
export class Releases {
  readonly shelf = new Shelf<Release>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  publish(fields: NewRelease): Release {
    const now = this.#world.now();
    const draft = fields.draft ?? false;
    return this.shelf.add({
      id: this.#world.id('release'),
      tag: fields.tag,
      name: fields.name === undefined ? fields.tag : fields.name,
      body: fields.body === undefined ? `Notes of ${fields.tag}` : fields.body,
      draft,
      prerelease: fields.prerelease ?? false,
      user: this.#world.user(fields.by ?? 'ada'),
      createdAt: now,
      publishedAt: draft ? null : now,
      updatedAt: now,
    });
  }

  edit(id: number, changes: Partial<Omit<NewRelease, 'by'>>): void {
    const release = this.shelf.get(id);
    Object.assign(release, changes);
    if (!release.draft) release.publishedAt ??= this.#world.now();
    release.updatedAt = this.#world.now();
    this.shelf.changed();
  }

  delete(id: number): void {
    if (!this.shelf.remove(id)) throw new Error(`the fake GitHub has no release ${String(id)} here`);
  }
}
