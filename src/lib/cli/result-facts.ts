import { parseTime } from '../core/time.ts';
import type { SearchResult } from '../retrieval/search-contract.ts';
import { displayWidth } from './display-width.ts';
import { grouped } from './progress.ts';
import { oneLine, relativeAge, type Style } from './terminal.ts';

/** `acme/app#12 · issue · open · ada · 3 days ago · +2 more`; what a long path leaves no room for goes on a second line. */
export function factsOf(result: SearchResult, style: Style, room: number, now: number): string[] {
  const { state, author, same_entity: folded } = result;
  const updated = parseTime(result.updated_at);
  const reference = shortReference(result);
  const facts = [words(result.type)];
  if (state !== undefined) facts.push(words(state));
  if (author !== undefined) facts.push(oneLine(author));
  if (updated !== undefined) facts.push(relativeAge(updated, now));
  if (folded !== undefined && folded.count > 0 && folded.others.length === 0)
    facts.push(`+${grouped(folded.count)} more`);
  const painted = facts.map((fact, index) =>
    (index === 1 && state !== undefined ? stateStyle(state, style) : style.dim)(fact),
  );
  const separator = style.dim(' · ');
  const fits = displayWidth([reference, ...facts].join(' · ')) <= room;
  if (fits) return [[style.repo(reference), ...painted].join(separator)];
  // The reference stays whole, to be copied.
  return [style.repo(reference), painted.join(separator)];
}

function stateStyle(state: string, style: Style): (text: string) => string {
  switch (state) {
    case 'open':
    case 'approved':
      return style.open;
    case 'closed':
    case 'changes_requested':
      return style.closed;
    case 'merged':
      return style.merged;
    default:
      return style.dim;
  }
}

/** The title, or what it is that has none. */
export function titleOf(result: SearchResult): string {
  const title = oneLine(result.title);
  return title === '' ? `(${words(result.type)} without a title)` : title;
}

/** The canonical reference; of what has none, its repository. */
function referenceOf(result: SearchResult): string {
  return oneLine(result.reference ?? result.repo);
}

/** The reference with twelve digits of a commit: enough to name it, and a path still fits beside it. */
function shortReference(result: SearchResult): string {
  return referenceOf(result).replace(/@([0-9a-f]{12})[0-9a-f]+:/, '@$1:');
}

function words(name: string): string {
  return oneLine(name).replaceAll('_', ' ');
}

/** Rows that were folded into a result, as far as the answer names them: `+2 more: 1.1 review 345, 1.2 comment 678`. */
export function foldedText(result: SearchResult, location: string, numbers: ReadonlyMap<string, string>): string {
  const { count = 0, others = [] } = result.same_entity ?? {};
  if (others.length === 0) return '';
  const named = others.map((other, index) => {
    const number = numbers.get(`${location}.same_entity.others[${String(index)}]`) ?? '';
    return `${number} ${shortWithin(result, other.reference ?? other.type)}`;
  });
  const rest = count - others.length;
  return `+${grouped(count)} more: ${named.join(', ')}${rest > 0 ? ', …' : ''}`;
}

/** A reference without what it shares with its result: the repository, and the thread. */
function shortWithin({ repo, number }: SearchResult, reference: string): string {
  const thread = number === undefined ? '' : `${repo}#${String(number)}/`;
  const text = oneLine(reference);
  if (thread !== '' && text.startsWith(thread)) return words(text.slice(thread.length)).replace('/', ' ');
  return (text.startsWith(repo) ? text.slice(repo.length) : text).replace(/@([0-9a-f]{12})[0-9a-f]+:/, '@$1:');
}

/** The fields of a row in a pipe: see `renderSearch`. */
export function pipedFields(result: SearchResult, number: string): string[] {
  const { type, state = '', updated_at, url, same_entity } = result;
  const count = String(same_entity?.count ?? 0);
  return [number, referenceOf(result), type, state, updated_at, titleOf(result), url, count].map(oneLine);
}
