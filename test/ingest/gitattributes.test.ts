import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AttributesFile, linguistAttributes } from '../../src/lib/ingest/gitattributes.ts';

const root = (text: string): AttributesFile[] => [{ path: '.gitattributes', text }];

describe('linguist attributes', () => {
  test('say nothing where no file does', () => {
    expect(linguistAttributes([])('src/a.ts')).toEqual({ generated: undefined, vendored: undefined });
    expect(linguistAttributes(root('*.ts text eol=lf'))('src/a.ts').generated).toBeUndefined();
  });

  test('the last match in a file wins', () => {
    const look = linguistAttributes(root('gen/** linguist-generated\ngen/hand.ts -linguist-generated\n'));
    expect(look('gen/deep/a.ts').generated).toBe(true);
    expect(look('gen/hand.ts').generated).toBe(false);
    const turned = linguistAttributes(root('gen/hand.ts -linguist-generated\ngen/** linguist-generated\n'));
    expect(turned('gen/hand.ts').generated).toBe(true);
  });

  test('every way to write a value', () => {
    const look = linguistAttributes(
      root(
        'a linguist-vendored\nb linguist-vendored=true\nc -linguist-vendored\nd linguist-vendored=false\n* text\ne linguist-vendored\ne !linguist-vendored',
      ),
    );
    expect(['a', 'b', 'c', 'd', 'e'].map((path) => look(path).vendored)).toEqual([true, true, false, false, undefined]);
  });

  test('a file nearer to the path wins, also when it takes a mark back', () => {
    const look = linguistAttributes([
      ...root('*.md linguist-generated\n/docs/*.md linguist-vendored'),
      { path: 'docs/.gitattributes', text: '*.md -linguist-generated\n/top.md !linguist-vendored' },
      { path: 'docs/api/.gitattributes', text: '\uFEFF*.md linguist-generated=true\r\n' },
    ]);
    expect(look('readme.md').generated).toBe(true);
    expect(look('docs/guide.md')).toEqual({ generated: false, vendored: true });
    expect(look('docs/top.md')).toEqual({ generated: false, vendored: undefined });
    expect(look('docs/api/x.md').generated).toBe(true);
    expect(look('docsx/guide.md').generated).toBe(true);
  });

  test('a pattern for a directory does not cover what is in it', () => {
    const look = linguistAttributes(root('lib linguist-vendored\nsrc/ linguist-generated\n'));
    expect(look('lib').vendored).toBe(true);
    expect(look('lib/a.c').vendored).toBeUndefined();
    expect(look('src/a.c').generated).toBeUndefined();
  });

  test('quoted patterns, comments and what git refuses', () => {
    const look = linguistAttributes(
      root(
        '"with space.md" linguist-generated\n# *.c linguist-generated\n!*.d linguist-generated\n[attr]x linguist-generated',
      ),
    );
    expect(look('with space.md').generated).toBe(true);
    expect(look('a.c').generated).toBeUndefined();
    expect(look('a.d').generated).toBeUndefined();
  });

  test('a pattern made to be slow is passed over', () => {
    const look = linguistAttributes(root(`${'**/a/'.repeat(12)}*.x linguist-generated\n*.y linguist-generated`));
    expect(look(`${'a/'.repeat(60)}b`).generated).toBeUndefined();
    expect(look('b.y').generated).toBe(true);
  });

  test('no text and no path throws', () => {
    const line = fc
      .tuple(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(' linguist-generated', ' -linguist-vendored', '\tlinguist-'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line), fc.string({ unit: 'binary' }), (lines, path) => {
        const marks = linguistAttributes(root(lines.join('\n')))(path);
        expect(Object.keys(marks)).toEqual(['generated', 'vendored']);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('against git itself', () => {
  let folder = '';
  const git = (input: string, ...args: string[]): string =>
    execFileSync('git', args, {
      cwd: folder,
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gh-rag-attributes-'));
    git('', 'init', '--quiet');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const PATHS =
    `a.js b.js lib/a.js lib/b.min.js lib/deep/a.js lib/deep/er/x.c gen/one.go gen/sub/two.go src/gen/three.go
    src/lib/a.js docs/guide.md docs/api/index.md docs/api/v1/index.md vendor vendor/x/y.c third/vendor/x.c Upper/A.JS
    lib/[x].js lib/*.js x/lib x/y/lib/z.md .hidden/a.js`.split(/\s+/);
  const PATTERNS = `*.js /*.js lib/*.js lib/** lib/**/*.js **/lib/** **/lib lib vendor vendor/** /vendor/** **/vendor/**
    docs/**/index.md docs/*/index.md gen/**/*.go **/gen/*.go gen ** * a.js /a.js ?.js [ab].js [!a].js lib/deep *.md docs/
    lib/d*p/* Upper/*.js .hidden/* lib/\\*.js */a.js **/x/** x/**/z.md`.split(/\s+/);
  const VALUES = [
    'linguist-generated',
    '-linguist-generated',
    '!linguist-generated',
    'linguist-generated=true',
    'linguist-generated=false',
    'linguist-vendored linguist-generated=true',
    'text -linguist-vendored',
  ];

  test('random attribute files mean what git check-attr says', () => {
    const rules = fc.array(fc.tuple(fc.constantFrom(...PATTERNS), fc.constantFrom(...VALUES)), { maxLength: 6 });
    const texts = rules.map((lines) => lines.map((parts) => parts.join(' ')).join('\n'));
    fc.assert(
      fc.property(texts, texts, texts, (top, lib, docs) => {
        const files = [
          { path: '.gitattributes', text: top },
          { path: 'lib/.gitattributes', text: lib },
          { path: 'docs/api/.gitattributes', text: docs },
        ];
        for (const { path, text } of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), text);
        }
        const look = linguistAttributes(files);
        const names = ['linguist-generated', 'linguist-vendored'];
        const fields = git(PATHS.join('\0'), 'check-attr', '-z', '--stdin', ...names).split('\0');
        const expected: Record<string, boolean | undefined> = {};
        for (let i = 0; i + 2 < fields.length; i += 3) {
          const value = fields[i + 2];
          const mark = value === 'unspecified' ? undefined : value !== 'unset' && value !== 'false';
          expected[`${fields[i] ?? ''} ${fields[i + 1] ?? ''}`] = mark;
        }
        const found = Object.fromEntries(
          PATHS.flatMap((path) => {
            const { generated, vendored } = look(path);
            return [
              [`${path} linguist-generated`, generated],
              [`${path} linguist-vendored`, vendored],
            ];
          }),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
