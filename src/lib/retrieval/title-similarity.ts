import { contentWords } from './content-words.ts';

/** How alike a question and a title are, 0 to 1. */
export type TitleSimilarity = (title: string) => number;

/**
 * Compares titles with a question: the cosine of their sets of content words, as the prose index knows them, each weighing
 * the same. A short title that the question holds whole so counts more than a long one that it shares as many words with.
 */
export function titleSimilarity(question: string): TitleSimilarity {
  const asked = contentWords(question);
  const known = new Map<string, number>();
  return (title) => {
    let similarity = known.get(title);
    if (similarity === undefined) known.set(title, (similarity = cosine(asked, contentWords(title))));
    return similarity;
  };
}

function cosine(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of b) if (a.has(word)) shared += 1;
  return shared / Math.sqrt(a.size * b.size);
}
