/** Scripts without spaces between words: Han, kana, Thai, Lao, Burmese, Khmer. */
const SPACELESS =
  /[\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303B\u3041-\u309F\u30A1-\u30FA\u30FC-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\u0E01-\u0EFF\u1000-\u109F\u1780-\u17FF\uA9E0-\uA9FF\uAA60-\uAA7F\u{1AFF0}-\u{1B16F}\u{20000}-\u{3FFFF}]/u;
const LETTER = /\p{L}/u;
const MARK_OR_NUMBER = /[\p{M}\p{N}]/u;
const ASCII_WORD = /\w/;

/** The code point that starts at a position; empty at the end of the text. */
export function characterAt(text: string, at: number): string {
  const codePoint = text.codePointAt(at);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

/** The code point that ends at a position; empty at the start of the text. */
export function characterBefore(text: string, at: number): string {
  if (at <= 0) return '';
  const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return text.slice(isPair ? at - 2 : at - 1, at);
}

/** Whether a character belongs to a word of a script that puts spaces between words: a letter, digit, mark or `_`. */
export function isWordCharacter(character: string): boolean {
  if (character === '') return false;
  if (character <= '\x7F') return ASCII_WORD.test(character);
  return !SPACELESS.test(character) && (LETTER.test(character) || MARK_OR_NUMBER.test(character));
}

/**
 * Whether a name goes on in the character beside it, given the name's own character there: a letter, digit, mark, `-`
 * or `_` does. A letter does not where only one of the two is of a script without spaces (`Homeは`): words end there.
 */
export function continuesName(beside: string, edge: string): boolean {
  if (beside === '') return false;
  if (beside <= '\x7F' && !/[A-Za-z]/.test(beside)) return /[\w-]/.test(beside);
  if (MARK_OR_NUMBER.test(beside)) return true;
  return LETTER.test(beside) && SPACELESS.test(beside) === SPACELESS.test(edge);
}
