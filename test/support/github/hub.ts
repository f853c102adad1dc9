import { type NewRepository, Repository } from './repository.ts';
import type { World } from './world.ts';

/** All repositories, by id and by every name they ever had. */
export class Hub {
  readonly world: World;
  readonly #byId = new Map<number, Repository>();
  readonly #names = new Map<string, Repository>();

  constructor(world: World) {
    this.world = world;
  }

  /** The repository of that name, made at the first mention. */
  repository(fullName: string, fields?: NewRepository): Repository {
    const known = this.named(fullName);
    if (known?.fullName.toLowerCase() === fullName.toLowerCase()) {
      if (fields !== undefined) throw new Error(`${fullName} exists`);
      return known;
    }
    const [owner, name] = parts(fullName);
    const repository = new Repository(this.world, this.world.user(owner, 'Organization'), name, fields);
    this.#byId.set(repository.id, repository);
    this.#names.set(fullName.toLowerCase(), repository);
    return repository;
  }

  /** Also by a former name, as long as no other repository has it now. */
  named(fullName: string): Repository | undefined {
    return this.#names.get(fullName.toLowerCase());
  }

  withId(id: number): Repository | undefined {
    return this.#byId.get(id);
  }

  /** Gives a new `owner/name`; the old one redirects. */
  rename(repository: Repository, fullName: string): void {
    const [owner, name] = parts(fullName);
    repository.owner = this.world.user(owner, 'Organization');
    repository.name = name;
    repository.stamp();
    this.#names.set(fullName.toLowerCase(), repository);
  }

  /** The repository and its names are gone. */
  delete(repository: Repository): void {
    this.#byId.delete(repository.id);
    for (const [name, named] of this.#names) if (named === repository) this.#names.delete(name);
    repository.dispose();
  }

  dispose(): void {
    for (const repository of this.#byId.values()) repository.dispose();
  }
}

function parts(fullName: string): [string, string] {
  const [owner, name, ...rest] = fullName.split('/');
  if (!owner || !name || rest.length > 0) throw new Error(`${fullName} is not owner/name`);
  return [owner, name];
}
