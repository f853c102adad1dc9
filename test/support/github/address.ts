import type { Hub } from './hub.ts';
import type { Repository } from './repository.ts';
import { ROUTES, type Route } from './routes.ts';
import type { User } from './state.ts';

/** What a path names. */
export type Address =
  | { readonly kind: 'user' | 'rate_limit' | 'graphql' | 'unknown' }
  /** Somebody by login; the fake knows the owners of its repositories, and everybody who acted in one. */
  | { readonly kind: 'login'; readonly user: User | undefined }
  | {
      readonly kind: 'repository';
      /** Undefined where there is none of that name or id. */
      readonly repository: Repository | undefined;
      /** Whether it was named by a name it does not have any more. */
      readonly formerName: boolean;
      /** Below the repository: `/issues`. */
      readonly below: string;
      readonly route: Route;
      /** The number or path that ends the route. */
      readonly id: string;
    }
  | {
      readonly kind: 'git';
      readonly repository: Repository | undefined;
      readonly formerName: boolean;
      readonly wiki: boolean;
      /** `/info/refs` and the like. */
      readonly service: string;
    };

/** Reads a path without its query and without the prefix of GitHub Enterprise Server. */
export function addressOf(path: string, hub: Hub): Address {
  if (path === '/user' || path === '/rate_limit' || path === '/graphql') {
    return { kind: path === '/user' ? 'user' : path === '/graphql' ? 'graphql' : 'rate_limit' };
  }
  const login = /^\/users\/([^/]+)$/.exec(path)?.[1];
  if (login !== undefined) return { kind: 'login', user: hub.world.knownUser(login) };
  const git = /^\/([^/]+)\/([^/]+?)(\.wiki)?\.git(\/.*)$/.exec(path);
  if (git !== null) {
    const [, owner = '', name = '', wiki, service = ''] = git;
    return { kind: 'git', ...named(hub, `${owner}/${name}`), wiki: wiki !== undefined, service };
  }
  const byName = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path);
  const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const below = (byName?.[3] ?? byId?.[2] ?? '').replace(/\/$/, '');
  const found =
    byName === null
      ? { repository: hub.withId(Number(byId?.[1])), formerName: false }
      : named(hub, `${byName[1] ?? ''}/${byName[2] ?? ''}`);
  if (byName === null && byId === null) return { kind: 'unknown' };
  for (const route of ROUTES) {
    const match = route.pattern.exec(below);
    if (match !== null) return { kind: 'repository', ...found, below, route, id: match[1] ?? '' };
  }
  return { kind: 'unknown' };
}

function named(hub: Hub, name: string): { repository: Repository | undefined; formerName: boolean } {
  const repository = hub.named(name);
  const formerName = repository !== undefined && repository.fullName.toLowerCase() !== name.toLowerCase();
  return { repository, formerName };
}
