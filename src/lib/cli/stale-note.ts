import { relativeAge } from './terminal.ts';

/**
 * What a person is told of a local copy that is behind its server. `since` and `now` are in milliseconds since the epoch;
 * null: it is not known when the copy was last in step.
 */
export function staleNote(since: number | null, now: number): string {
  const age = since === null ? 'of unknown age' : `from ${relativeAge(since, now)}`;
  return `The database server is away or behind: this is a local copy ${age}.`;
}
