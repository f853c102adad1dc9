import { fromMarkdown } from 'mdast-util-from-markdown';
import { firstCodePoints } from '../core/text.ts';

/** Code points of a heading that are kept. */
const LONGEST_HEADING = 200;
/** Code points of its source that are read: inline Markdown of strangers can be superlinear. */
const LONGEST_SOURCE = 600;

/** What may be markup; an underscore within a word is none. */
const MARKUP = /[\\`*[\]<>&!~]|:\/\/|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u;
const CODE = /`([^`]+)`/g;
/** UTF-16 units of headings of one document that are parsed, each costing some more; beyond, they stay as written. */
const INLINE_BUDGET = 32_768;
const HEADING_COST = 48;
const DEFINITION = /^ {0,3}\[([^[\]\n]{1,200})\]:/gm;
const REFERENCE = /\[([^[\]]+)\](?:\[([^[\]]*)\])?/g;

type Content = ReturnType<typeof fromMarkdown>['children'][number];

/**
 * A function that gives the plain text of a document's headings, from their source lines (of a setext heading with its
 * underline): code, emphasis, links and images flattened, HTML left out, at most 200 code points.
 */
export function headingReader(document: string): (source: string) => string {
  const isDefined = definedLabels(document);
  let budget = INLINE_BUDGET;
  return (source) => {
    const lines = source.trimEnd().split('\n');
    const inline = lines.length > 1 ? lines.slice(0, -1).join(' ').trim() : atxContent(source.trimEnd());
    const readable = firstCodePoints(inline, LONGEST_SOURCE);
    if (!MARKUP.test(readable.replace(CODE, 'a'))) return tidy(readable.replace(CODE, '$1'));
    budget -= readable.length + HEADING_COST;
    if (budget < 0) return tidy(readable);
    const [block] = fromMarkdown(`# ${readable}`).children;
    const text = block === undefined ? '' : flatten(block);
    return tidy(
      text.replace(REFERENCE, (whole, text: string, label?: string) => {
        return isDefined(label === undefined || label === '' ? text : label) ? text : whole;
      }),
    );
  };
}

/** A function that knows which link labels a document defines; it reads the document when first asked. */
function definedLabels(document: string): (label: string) => boolean {
  let labels: Set<string> | undefined;
  return (label) => {
    labels ??= new Set(Array.from(document.matchAll(DEFINITION), (match) => labelKey(match[1] ?? '')));
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
  return firstCodePoints(text.replace(/\s+/g, ' ').trim(), LONGEST_HEADING).trimEnd();
}

function labelKey(label: string): string {
  return label.replace(/\s+/g, ' ').trim().toLowerCase();
}
