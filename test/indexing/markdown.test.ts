import { expect, test } from 'vitest';
import { documentTitle, sectionsOf } from '../../src/lib/indexing/markdown.ts';

function outline(...lines: string[]): string[] {
  return sectionsOf(lines.join('\n')).map(({ headingPath, lines }) => {
    return `${headingPath.join(' > ')} ${String(lines?.start)}-${String(lines?.end)}`;
  });
}

test('sections follow ATX and setext headings, under the path of the headings around them', () => {
  expect(
    outline(
      'Before',
      '',
      '# Guide',
      'Text',
      '## Install ##',
      '### Linux',
      'x',
      '',
      'Use',
      '---',
      '',
      'Two',
      'lines',
      '===',
      'end',
    ),
  ).toEqual([
    ' 1-2',
    'Guide 3-4',
    'Guide > Install 5-5',
    'Guide > Install > Linux 6-8',
    'Guide > Use 9-11',
    'Two lines 12-15',
  ]);
});

test('what looks like a heading in code, HTML, quotes, lists and front matter starts no section', () => {
  const inside = [
    ['```', '# code', '```'],
    ['~~~sh', '# code', '', '~~~'],
    ['    # indented code'],
    ['<!--', '# comment', '', '# more', '-->'],
    ['<pre>', '# pre', '</pre>'],
    ['> # quote'],
    ['- # item', '', '  ## item'],
    ['1. ```', '   # code', '   ```'],
    ['#no heading', '####### none', '\\# escaped'],
    ['import Tabs from "./tabs"', '', '<Tabs>', '<Tab title="# a">'],
  ];
  for (const lines of inside) {
    expect(outline('# A', '', ...lines, '', '## B', 'text')).toEqual([
      `A 1-${String(lines.length + 3)}`,
      `A > B ${String(lines.length + 4)}-${String(lines.length + 5)}`,
    ]);
  }
  expect(outline('---', 'title: x', '# a: b', '---', '# A')).toEqual([' 1-4', 'A 5-5']);
  expect(outline('+++', 'title = "x"', '# a', '+++', '', 'A', '=')).toEqual([' 1-5', 'A 6-7']);
});

test('an MDX page is cut at its Markdown headings', () => {
  expect(
    outline(
      ...['---', 'title: Setup', '---', "import Tabs from '@theme/Tabs';", 'export const size = 3;', '', '# Setup', ''],
      ...['<Tabs items={["a", "b"]}>', '', '## First', '', '{size}', '', '</Tabs>', '', '## Second', 'end'],
    ),
  ).toEqual([' 1-6', 'Setup 7-10', 'Setup > First 11-16', 'Setup > Second 17-18']);
});

test('headings are flattened to their text', () => {
  const headings: [string, string][] = [
    ['## The `--force` *flag* and **more**', 'The --force flag and more'],
    ['# [Link](http://example.org/a) and ![image](b.png)', 'Link and image'],
    ['# [1.2.0][] and [old][1.2.0] and [none]', '1.2.0 and old and [none]'],
    ['# a &amp; b <br> c \\* d', 'a & b c * d'],
    ['#\tTabs   and  spaces \t ##  ', 'Tabs and spaces'],
    ['# snake_case_name C# #', 'snake_case_name C#'],
    ['## `a | b` — 日本語', 'a | b — 日本語'],
    ['# `a_b *c*` and ``d ` e`` \\`f`', 'a_b *c* and d ` e `f`'],
    ['# __init__ and _b_', 'init and b'],
    ['Setext *with*\n`code`\n===', 'Setext with code'],
  ];
  for (const [source, text] of headings) {
    expect(sectionsOf(`${source}\n\n[1.2.0]: https://example.org\n`)[0]?.headingPath, source).toEqual([text]);
  }
  expect(sectionsOf('# A\n\n#\n\n### B\n').map((section) => section.headingPath)).toEqual([['A'], [], ['B']]);
  expect(sectionsOf(`# ${'*a '.repeat(50_000)}\n`)[0]?.headingPath[0]?.length).toBeLessThanOrEqual(200);
});

test('headings of a hostile document cost a bounded time', () => {
  const started = process.cpuUsage();
  expect(sectionsOf('# [a](b) *c*\n'.repeat(50_000))).toHaveLength(50_000);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
});

test('sections join to the whole document, whatever its characters', () => {
  const text = '\uFEFF# \u{1f600} A\r\n\u{20000}\n\n# B\n\u2028# C\n\n\n';
  const sections = sectionsOf(text);
  expect(sections.map((section) => section.text).join('')).toBe(text);
  expect(sections.map(({ offset, length }) => [offset, length])).toEqual([
    [0, 11],
    [11, 11],
  ]);
  expect(sections.map((section) => section.headingPath)).toEqual([['\u{1f600} A'], ['B']]);
  expect(sectionsOf('')).toEqual([{ headingPath: [], offset: 0, length: 0, lines: null, text: '' }]);
});

test('a title is the first heading of level 1, else that of the front matter, else the file name', () => {
  const title = (text: string): string => documentTitle(text, 'docs/set-up.md');
  expect(title('## Sub\n\n# Main *title*\n\n# Other\n')).toBe('Main title');
  expect(title('---\ntitle: Front\n---\n# Main\n')).toBe('Main');
  expect(title('---\nid: a\ntitle: Front: matter # note\n---\n## Sub\n')).toBe('Front: matter');
  expect(title('---\ntitle: "A \\"quoted\\" one" # note\n---\n')).toBe('A "quoted" one');
  expect(title("---\ntitle: 'It''s'\n---\n")).toBe("It's");
  expect(title('---\ntitle: >-\n  Folded\nother: 1\n---\n')).toBe('Folded');
  expect(title('+++\ntitle = "Toml"\n[extra]\ntitle = "no"\n+++\n')).toBe('Toml');
  expect(title('+++\n[extra]\ntitle = "no"\n+++\n')).toBe('set-up.md');
  expect(title('---\ntitle: never closed\n')).toBe('set-up.md');
  expect(title('```\n# code\n```\n#\n')).toBe('set-up.md');
  expect(documentTitle('', 'Home')).toBe('Home');
});
