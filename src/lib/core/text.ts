const LONE_SURROGATES = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

// Zero-width and invisible formatting characters, bidirectional controls, tags and variation-selector supplements: none
// is visible, all of them can hide or reorder what a reader sees. U+200C/U+200D and U+FE0F stay: scripts and emoji
// need them.
const INVISIBLE =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029]/g;

/**
 * Makes text storable: lone surrogates and NUL become U+FFFD, line ends become LF. Everything that is indexed passes
 * here first, so offsets and hashes mean the same everywhere.
 */
export function normalizeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(LONE_SURROGATES, '\uFFFD').replaceAll('\u0000', '\uFFFD');
}

/** Most texts: nothing to look for in them. */
const PLAIN = /^[\t\n\x20-\x7E]*$/;

/** Removes invisible and bidirectional control characters: for text of strangers inside answers to agents. */
export function stripInvisible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, '').replace(CONTROL, '');
}

/** Removes every control character but newline and tab, and what is invisible: for text printed on a terminal. */
export function stripForTerminal(text: string): string {
  return stripInvisible(text);
}

/** The first `limit` code points of a text. */
export function firstCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Number of code points in a text: the unit in which SQLite's substr counts. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      length -= 1;
      i += 1;
    }
  }
  return length;
}
