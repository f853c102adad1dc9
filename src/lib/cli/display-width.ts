const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a reader sees as one character each. */
export function* graphemes(text: string): Iterable<string> {
  for (const { segment } of SEGMENTER.segment(text)) yield segment;
}

const PRINTABLE_ASCII = /^[\u0020-\u007E]*$/;

// Nothing to see: marks, joiners and formatting characters on their own, vowels and finals of decomposed Hangul.
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF]+$/u;

// East Asian Wide and Fullwidth (UAX 11), to whole blocks where the rest of a block is unassigned, and emoji.
const WIDE =
  /^(?:[\u1100-\u115F\u2329\u232A\u2630-\u2637\u2E80-\u303E\u3041-\u3247\u3250-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{Emoji}\uFE0F)/u;

/** Columns that plain text takes on a terminal. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
