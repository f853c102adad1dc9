import { wordsOf } from '../segment.ts';
import { vocabularyKey } from '../vocabulary.ts';

/** Longer tokens are data (digests, encoded images), not words. UTF-16 units. */
const LONGEST_TERM = 64;
/** Keys remembered; texts repeat their words. */
const REMEMBERED = 50_000;

const keys = new Map<string, string>();

/** Counts the terms of a text: its tokens as the prose index has them, folded and stemmed. */
export function termCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text: word } of wordsOf(text)) {
    if (word.length > LONGEST_TERM) continue;
    const key = keyOf(word);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function keyOf(word: string): string {
  let key = keys.get(word);
  if (key === undefined) {
    if (keys.size >= REMEMBERED) keys.clear();
    key = detached(vocabularyKey(word));
    keys.set(word === key ? key : detached(word), key);
  }
  return key;
}

/** A copy: V8 makes of a part of a text a view that keeps all of the text in memory, and terms outlive their texts. */
function detached(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}
