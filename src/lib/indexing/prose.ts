import { blocksOf, type Syntax } from './prose-blocks.ts';
import { type Anchor, inlineOf } from './prose-inline.ts';
import { hide, type Span } from './spans.ts';

/** A text with what states nothing hidden; positions are those of the text. */
export interface Prose {
  /** What is shown as text. */
  readonly text: string;
  /** The same with inline code. */
  readonly withInlineCode: string;
  /** Stretches that inline markup does not cross. */
  readonly units: readonly Span[];
  /** Destinations of link definitions by the key of their label. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly anchors: readonly Anchor[];
}

/** Reads how a text is marked up. Linear in its length, whatever it holds. */
export function proseOf(text: string, syntax: Syntax): Prose {
  const { hidden, units, definitions } = blocksOf(text, syntax);
  const inline = inlineOf(text, units, syntax.markdown);
  const withInlineCode = hide(text, [...hidden, ...inline.hidden]);
  return { text: hide(withInlineCode, inline.code), withInlineCode, units, definitions, anchors: inline.anchors };
}
