import { NameMatcher, type Occurrence } from './name-matcher.ts';
import type { Statement } from './references.ts';
import { characterAt, characterBefore, continuesName } from './token-boundary.ts';

/** Wiki pages that a text names by their slug as a whole token. Of names that overlap the first and longest counts. */
export function mentionsOf(text: string, wikiSlugs: ReadonlySet<string>): Statement[] {
  if (wikiSlugs.size === 0) return [];
  const kept: Occurrence[] = [];
  for (const occurrence of new NameMatcher(wikiSlugs).occurrences(text)) {
    if (!isWhole(text, occurrence)) continue;
    let last = kept.at(-1);
    while (last !== undefined && last.start >= occurrence.start) {
      kept.pop();
      last = kept.at(-1);
    }
    if (last === undefined || last.end <= occurrence.start) kept.push(occurrence);
  }
  return kept.map(({ start, name }) => ({ at: start, kind: 'mention', dst: `wiki/${name}` }));
}

function isWhole(text: string, { start, end }: Occurrence): boolean {
  return (
    !continuesName(characterBefore(text, start), characterAt(text, start)) &&
    !continuesName(characterAt(text, end), characterBefore(text, end))
  );
}
