/** A stretch of a text in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Stands for what is hidden: no white space and no letter, so nothing is joined over it. */
const HIDDEN = '\0';

/** A text of the same length in which the spans are hidden; they may overlap and come in any order. */
export function hide(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(text.slice(at, from), HIDDEN.repeat(end - from));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
