import { wordsOf } from '../indexing/segment.ts';
import { vocabularyKey } from '../indexing/vocabulary.ts';
import { isFunctionWord } from './function-words.ts';

/** The words of a text but function words, as the prose index knows them. */
export function contentWords(text: string): Set<string> {
  return new Set(wordsOf(text).flatMap(({ text: word }) => (isFunctionWord(word) ? [] : [vocabularyKey(word)])));
}
