// Deterministic text for benchmarks: words of a Zipf-like vocabulary, so that frequent and rare terms both occur.

/** Mulberry32: a small seeded generator of numbers in [0, 1). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** The word of a rank: pronounceable, distinct for each rank. */
export function wordOf(rank) {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / 90)) {
    const syllable = rest % 90;
    word += CONSONANTS[Math.floor(syllable / 5)] + VOWELS[syllable % 5];
  }
  return word;
}

/** A source of words whose frequency falls with their rank, as in prose. */
export function prose(random, vocabulary = 30_000) {
  const word = () => wordOf(Math.floor(vocabulary ** random()) - 1);
  const sentence = (length) => {
    const words = Array.from({ length }, word);
    return `${words[0][0].toUpperCase()}${words.join(' ').slice(1)}.`;
  };
  return {
    word,
    /** A word people search for: not among the hundred most frequent, which in a language are its function words. */
    contentWord: () => wordOf(Math.floor(100 * (vocabulary / 100) ** random()) - 1),
    sentence,
    paragraphs: (count, sentences) =>
      Array.from({ length: count }, () =>
        Array.from({ length: sentences }, () => sentence(6 + Math.floor(random() * 12))).join(' '),
      ).join('\n\n'),
  };
}
