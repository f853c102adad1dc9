import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES, EXIT_DONE } from '../../src/lib/cli/exit-codes.ts';
import { DOCUMENT_TYPE_NAMES } from '../../src/lib/corpus/document-types.ts';
import { decodeRecord } from '../../src/lib/ingest/export-record.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const markdown = ['.', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => relative(root, join(root, folder, name))),
);

const flag = z.object({
  char: z.string().optional(),
  allowNo: z.boolean().optional(),
  aliases: z.array(z.string()).optional(),
});
const manifest = z
  .object({ commands: z.record(z.string(), z.object({ flags: z.record(z.string(), flag) })) })
  .parse(JSON.parse(read('oclif.manifest.json')));
const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));

describe.each(markdown)('%s', (path) => {
  const text = read(path);

  it('links only to what is there', () => {
    const broken = linksOf(text).filter((target) => !leadsSomewhere(path, target));
    expect(broken).toEqual([]);
  });

  it('shows only commands and flags that there are', () => {
    const wrong = commandLinesOf(text).filter((line) => !isUnderstood(line));
    expect(wrong).toEqual([]);
  });

  it('names only scripts that there are', () => {
    const names = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('README.md', () => {
  it('lists every command', () => {
    const listed = [...read('README.md').matchAll(/^\| `gh-rag ([a-z-]+(?: [a-z]+)?)/gm)].map(([, name = '']) =>
      name.replace(' ', ':'),
    );
    expect(listed.sort()).toEqual(Object.keys(manifest.commands).sort());
  });

  it('lists every exit code', () => {
    const listed = [...read('README.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual([...new Set([EXIT_DONE, ...Object.values(EXIT_CODES)])].sort((a, b) => a - b));
  });
});

describe('docs/indexing.md', () => {
  it('has a row for every document type', () => {
    const [, table = ''] = /## What becomes a document([^]*?)\n## /.exec(read('docs/indexing.md')) ?? [];
    const listed = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(listed.sort()).toEqual(DOCUMENT_TYPE_NAMES.toSorted());
  });
});

describe('examples/acme-app.jsonl', () => {
  it('is read without a problem or a warning, and has every type', () => {
    const records = read('examples/acme-app.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => decodeRecord(line, 0));
    expect(records.filter((record) => 'problem' in record || record.warnings.length > 0)).toEqual([]);
    const types = new Set(records.flatMap((record) => ('document' in record ? record.document.type : [])));
    expect([...types].sort()).toEqual(DOCUMENT_TYPE_NAMES.toSorted());
  });
});

function linksOf(text: string): string[] {
  const prose = text.replace(/^```[^]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^https?:/.test(target));
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(read(path)).has(anchor);
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.match(/^#+ .+$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Lines of code blocks that run gh-rag, without what is piped on and comments. */
function commandLinesOf(text: string): string[] {
  return [...text.matchAll(/^ {4,}(?:- run: |\$ )?(?:gh-rag|node bin\/run\.js) .*$/gm)].map(([line]) =>
    line.replace(/\s(?:\||#).*$/, '').trim(),
  );
}

function isUnderstood(line: string): boolean {
  const words = line
    .replace(/"[^"]*"/g, 'TEXT')
    .replace(/^(?:- run: )?(?:\$ )?(?:gh-rag|node bin\/run\.js)\s+/, '')
    .split(/\s+/);
  const [first = '', second = '', ...others] = words;
  const topical = `${first}:${second}` in manifest.commands;
  const [command, rest] = topical ? [`${first}:${second}`, others] : [first, words.slice(1)];
  if (command === 'COMMAND' || command.startsWith('--')) return rest.length === 0 || rest[0] === '--help';
  const flags = manifest.commands[command]?.flags;
  return flags !== undefined && rest.every((word) => !word.startsWith('-') || isFlag(word, flags));
}

function isFlag(word: string, flags: Record<string, z.output<typeof flag>>): boolean {
  const [name = ''] = word.split('=');
  if (name === '--help') return true;
  return Object.entries(flags).some(
    ([long, { char, allowNo, aliases }]) =>
      name === `--${long}` ||
      name === `-${char ?? ''}` ||
      (allowNo === true && name === `--no-${long}`) ||
      aliases?.some((alias) => name === `--${alias}`) === true,
  );
}
