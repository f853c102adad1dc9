import { fromMarkdown } from 'mdast-util-from-markdown';
import { firstCodePoints } from '../core/text.ts';

/** Code points of a heading that are kept. */
const LONGEST_HEADING = 200;
/** Code points of its source that are read: inline Markdown of strangers can be superlinear. */
const LONGEST_SOURCE = 600;

const MARKUP = /[\\`*_[\]<>&!~]|:\/\//;
const REFERENCE = /\[([^[\]]+)\](?:\[([^[\]]*)\])?/g;

type Content = ReturnType<typeof fromMarkdown>['children'][number];

/**
 * The plain text of a heading, given its source lines (a setext heading with its underline): code, emphasis, links and
 * images flattened, HTML left out, at most 200 code points. `isDefined` knows the labels that the document defines.
 */
export function headingText(source: readonly string[], isDefined: (label: string) => boolean): string {
  const inline = source.length > 1 ? source.slice(0, -1).join(' ').trim() : atxContent(source[0] ?? '');
  const readable = firstCodePoints(inline, LONGEST_SOURCE);
  if (!MARKUP.test(readable)) return tidy(readable);
  const [block] = fromMarkdown(`# ${readable}`).children;
  const text = block === undefined ? '' : flatten(block);
  return tidy(
    text.replace(REFERENCE, (whole, text: string, label?: string) => {
      return isDefined(label === undefined || label === '' ? text : label) ? text : whole;
    }),
  );
}

/** A function that knows which link labels a document defines; it reads the document when first asked. */
export function definedLabels(text: string): (label: string) => boolean {
  let labels: Set<string> | undefined;
  return (label) => {
    labels ??= new Set(
      Array.from(text.matchAll(/^ {0,3}\[([^[\]\n]{1,200})\]:/gm), (match) => labelKey(match[1] ?? '')),
    );
    return labels.has(labelKey(label));
  };
}

function atxContent(line: string): string {
  const content = firstCodePoints(line, LONGEST_SOURCE).replace(/^\uFEFF? {0,3}#{1,6}(?:[ \t]+|$)/, '');
  return content.replace(/(?:^|[ \t])#+[ \t]*$/, '');
}

function flatten(node: Content): string {
  if (node.type === 'html') return '';
  if (node.type === 'break') return ' ';
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(flatten).join('') : '';
}

function tidy(text: string): string {
  return firstCodePoints(text.replace(/\s+/g, ' ').trim(), LONGEST_HEADING);
}

function labelKey(label: string): string {
  return label.replace(/\s+/g, ' ').trim().toLowerCase();
}
