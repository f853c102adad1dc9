/**
 * Words that a question has and its answer need not: English articles, pronouns, auxiliaries, prepositions and question
 * words. Negations, modes and words that name something in software (`no`, `not`, `new`, `all`, `after`) are none.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those i me my we us our you your he she it its they them their ' +
    'am is are was were be been being do does did has have had can could shall should will would may might must ' +
    'of in on at to for from by with as into about and or but if so than then there here ' +
    'what which who whom whose when where why how'
  ).split(' '),
);

const CONTRACTION =
  /^(?:(?:do|does|did|is|are|was|were|has|have|had|could|would|should|wo|ca)n't|[a-z]+'(?:re|ve|ll|d|m))$/;
const SHORTENED_IS = /^(?:it|that|what|who|where|when|why|how|there|here|let|he|she)'s$/;

const LONGEST = 12;

/** One hiragana character standing alone is a particle or an ending. */
const PARTICLE = /^\p{Script=Hiragana}$/u;

/** Whether a word, written as in a query, only holds a sentence together. */
export function isFunctionWord(word: string): boolean {
  if (word.length > LONGEST) return false;
  const folded = word.toLowerCase().replaceAll('\u2019', "'");
  return FUNCTION_WORDS.has(folded) || CONTRACTION.test(folded) || SHORTENED_IS.test(folded) || PARTICLE.test(folded);
}
