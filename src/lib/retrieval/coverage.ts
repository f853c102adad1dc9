import { wordsOf } from '../indexing/segment.ts';
import { vocabularyKey } from '../indexing/vocabulary.ts';
import { contentWords } from './content-words.ts';

/**
 * How much of a question each of some texts holds, 0 to 1: the share of the content words of the question that stand in it,
 * each weighing ln((n + 1) / (df + 1/2))², with df the texts that hold it and n all of them. What nearly all hold tells
 * nothing of one, and what none holds is asked of nobody.
 */
export function coverageOf(question: string, texts: readonly string[]): number[] {
  const asked = contentWords(question);
  // Texts repeat their words, and making a key is dear.
  const keys = new Map<string, string | null>();
  const initials = new Set([...asked].map((word) => word.charAt(0)));
  const askedKey = (word: string): string | null => {
    // The stemmer leaves the first letter as it is.
    if (/^[A-Za-z]/.test(word) && !initials.has(word.charAt(0).toLowerCase())) return null;
    const key = vocabularyKey(word);
    return asked.has(key) ? key : null;
  };
  const held = texts.map((text) => {
    const words = new Set<string>();
    for (const { text: word } of wordsOf(text)) {
      let key = keys.get(word);
      if (key === undefined) keys.set(word, (key = askedKey(word)));
      if (key !== null) words.add(key);
    }
    return words;
  });
  const weights = new Map<string, number>();
  for (const word of asked) {
    const frequency = held.reduce((count, words) => count + Number(words.has(word)), 0);
    weights.set(word, frequency === 0 ? 0 : Math.log((texts.length + 1) / (frequency + 0.5)) ** 2);
  }
  const weightOf = (words: Iterable<string>): number => {
    let sum = 0;
    for (const word of words) sum += weights.get(word) ?? 0;
    return sum;
  };
  const all = weightOf(asked);
  // In the order of the question: sums of floats depend on it.
  return held.map((words) => (all > 0 ? weightOf([...asked].filter((word) => words.has(word))) / all : 0));
}
