const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a reader sees as one character each. */
export function* graphemes(text: string): Iterable<string> {
  for (const { segment } of SEGMENTER.segment(text)) yield segment;
}

const PLAIN_ASCII = /^[\u0020-\u007E]*$/;

// Nothing to see: marks, joiners and formatting characters on their own, conjoining vowels and finals of Hangul.
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF]+$/u;

// East Asian Wide and Fullwidth as far as scripts and blocks tell, and pictographs with emoji presentation.
const WIDE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\uAC00-\uD7A3\u1100-\u115F\uA960-\uA97C\u3000-\u303E\u3190-\u31EF\u3200-\u33FF\uFE30-\uFE6B\uFF01-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|\p{Regional_Indicator}{2})/u;
const HALFWIDTH = /^[\uFF61-\uFFDC\uFFE8-\uFFEE]/;
const EMOJI_VARIANT = /^\p{Emoji}\uFE0F/u;

/** Columns that plain text takes on a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  if (HALFWIDTH.test(grapheme)) return 1;
  return WIDE.test(grapheme) || EMOJI_VARIANT.test(grapheme) ? 2 : 1;
}
