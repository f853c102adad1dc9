import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { type Heading, scanHeadings } from '../../src/lib/indexing/heading-scan.ts';
import { headingsOf, PARSER_LIMITS } from '../../src/lib/indexing/headings.ts';

/** The headings a parse of the whole document finds. */
function parsed(text: string): Heading[] {
  return fromMarkdown(text).children.flatMap((block) => {
    if (block.type !== 'heading' || block.position === undefined) return [];
    return [{ level: block.depth, line: block.position.start.line - 1, end: block.position.end.line }];
  });
}

const line = fc.constantFrom(
  ...[
    '',
    '',
    '',
    '# One',
    '## Two',
    '### Three ###',
    '#',
    '#hashtag',
    '####### seven',
    ' # indented',
    '    # code',
    '\t# code',
  ],
  ...[
    'Title',
    '===',
    '---',
    '-',
    '- - -',
    '***',
    '- item',
    '  continued',
    '  # in item',
    '1. one',
    '1) one',
    '> quote',
    '> # quoted',
  ],
  ...[
    '```',
    '~~~',
    '```js `no`',
    '  ```',
    '> ```',
    '- ```',
    '<div>',
    '</div>',
    '<!-- open',
    'close -->',
    '<!-- # -->',
    '<pre>',
    'x</pre>',
  ],
  ...[
    '<?php',
    '?>',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE',
    'text a > b',
    '[label]: /url',
    '[label]:',
    '"title"',
    'prose of some length',
    '*emphasis*',
  ],
  ...[
    'import Tabs from "./tabs"',
    '<Tabs>',
    '<Tab name="a">',
    'export const a = 1',
    '{/* note */}',
    '| a | b |',
    '\u00a0# nbsp',
    '\u{1f600} #',
  ],
);

test('headings are those of a parse of the whole document', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 90 }), (lines) => {
      const text = lines.join('\n');
      fc.pre(!/^---[ \t]*\n/.test(text));
      expect([...headingsOf(text)]).toEqual(parsed(text));
    }),
    { numRuns: 200 },
  );
});

test.each([
  '[label]:\nprose of some length\n-',
  '[label]:\nprose\n-',
  '[label]:\nprose "title"\n-',
  '[label]:\nprose (title) x\n-',
])('what follows a label: %j', (text) => {
  expect([...headingsOf(text)]).toEqual(parsed(text));
});

test('a document of many windows reads like one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.nat(4)), { minLength: 40, maxLength: 80 }), (parts) => {
      const lines = parts.flatMap(([line, times]) => [...Array.from({ length: 1 + times }, () => line), '']);
      const text = ['x', ...lines].slice(0, PARSER_LIMITS.longestBlock).join('\n');
      expect([...headingsOf(text)]).toEqual(parsed(text));
    }),
    { numRuns: 20 },
  );
});

test('long lines keep what closes them', () => {
  const long = 'x'.repeat(PARSER_LIMITS.lineLength);
  for (const line of [
    `<!-- ${long} -->`,
    `\`\`\`${long} \``,
    `${'-'.repeat(300)}${long}`,
    `<script>${long}</script>`,
  ]) {
    const text = `${line}\n\n# After\n`;
    expect([...headingsOf(text)]).toEqual(parsed(text));
  }
});

test('a block too long for the parser is passed over, and what follows is parsed again', () => {
  const much = PARSER_LIMITS.longestBlock * 3;
  for (const block of [
    '- item\n'.repeat(much),
    `\`\`\`\n${'# no\n'.repeat(much)}\`\`\`\n`,
    'prose\n'.repeat(much),
    `<!--\n${'# no\n'.repeat(much)}-->\n`,
  ]) {
    const text = `# Before\n\n${block}\n# After\n\n> # quoted\n\n- item\n\n  # in item\n\nEnd\n---\n`;
    expect([...headingsOf(text)]).toEqual(parsed(text));
  }
});

test('beyond the budget lines are scanned', () => {
  const section =
    '## Head\n\nText\n\n```\n# no\n```\n\n<!-- # no\n# no -->\n<!-- one -->\n\nUnder\n-----\n\nOver\n===\n\n';
  const times = Math.ceil((PARSER_LIMITS.budget * 2) / section.length / 3);
  const headings = [...headingsOf(section.repeat(times))];
  expect(headings).toHaveLength(times * 3);
  expect(headings.slice(-3).map(({ level }) => level)).toEqual([2, 2, 1]);
  expect([...scanHeadings(section.split('\n'), 0)]).toEqual(parsed(section));
});

test('no document takes long, whatever it repeats', () => {
  const hostile = [
    '[',
    '*',
    '*a ',
    '`a',
    '<',
    '&',
    '\\',
    '![',
    '_a',
    '>',
    '> ',
    '- ',
    '1. ',
    '[](',
    '<a ',
    '\t',
    ' ',
    '#',
  ];
  const hostileLines = [
    '>a',
    '- a',
    '1.',
    '# a',
    '```',
    'a',
    '[a]: b',
    '[a',
    '[a]:',
    '<a',
    '<!--',
    '<div>',
    '***',
    '    x',
    'a\n=',
    'a\n-',
  ];
  const deep = Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');
  for (const part of [
    ...hostile,
    ...hostileLines.map((line) => `${line}\n`),
    `${'> '.repeat(40)}a\n`,
    '> - > - a\n',
    `${deep}\n`,
  ]) {
    const text = `# a\n\n${part.repeat(Math.ceil(25_000 / part.length))}\n# z\n`;
    const started = process.cpuUsage();
    expect([...headingsOf(text)].length).toBeGreaterThan(0);
    const elapsed = process.cpuUsage(started).user / 1000;
    // Under one second of processor time as a rule; what grows faster than the text would take minutes.
    expect(elapsed, JSON.stringify(part.slice(0, 20))).toBeLessThan(3000);
  }
});
