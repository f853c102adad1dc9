import type { Repository } from './repository.ts';
import type { Shape } from './shapes.ts';
import type { User } from './state.ts';

/** Where links of an answer lead. */
export class Urls {
  /** Root of the REST API, without a slash at the end. */
  readonly api: string;
  /** Root of git over HTTP. */
  readonly git: string;
  /** Root of the pages for people. */
  readonly html: string;

  /** Users that an answer holds already: it repeats few of them often. */
  readonly users = new Map<User, Shape<'simple-user'>>();

  constructor(api: string, git: string, html: string) {
    this.api = api;
    this.git = git;
    this.html = html;
  }

  repo({ fullName }: Repository): string {
    return `${this.api}/repos/${fullName}`;
  }

  page({ fullName }: Repository): string {
    return `${this.html}/${fullName}`;
  }
}

/** `2024-01-31T12:00:00Z`, without milliseconds as GitHub writes it. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** The same, with null for what has not happened. */
export function optionalTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}

/** A global id as GraphQL and `node_id` have it. */
export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`;
}
