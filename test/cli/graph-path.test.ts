import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount } from '../../src/lib/cli/amount.ts';
import { edgeText, pathText } from '../../src/lib/cli/graph-path.ts';
import { sourceName } from '../../src/lib/cli/source-name.ts';
import { DOCUMENT_TYPE_NAMES } from '../../src/lib/corpus/document-types.ts';
import type { WirePath } from '../../src/lib/feedback/wire.ts';

const step = (src_slug: string, dst_slug: string, fields: Partial<WirePath[number]> = {}): WirePath[number] => ({
  repo: 'acme/app',
  src_slug,
  dst_slug,
  edge_kind: 'reference',
  direction: 'forward',
  ...fields,
});

const HOSTILE = /[\u0000-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2066-\u2069]/;

describe('a path', () => {
  it('reads in walking order, its arrows as the edges point', () => {
    expect(pathText([step('#8', '#7', { edge_kind: 'closes' })])).toBe('acme/app#8 ─closes→ #7');
    const there = [step('#8', '#7'), step('wiki/Home', '#7', { edge_kind: 'mention', direction: 'backward' })];
    expect(pathText(there)).toBe('acme/app#8 ─reference→ #7 ←mention─ wiki/Home');
    expect(pathText([])).toBe('');
  });

  it('names nodes of another repository with it, and cuts the ids of commits', () => {
    expect(pathText([step('#8', 'acme/lib#7'), step('#7', 'acme/app#9', { repo: 'acme/lib' })])).toBe(
      'acme/app#8 ─reference→ acme/lib#7 ─reference→ #9',
    );
    expect(pathText([step('wiki/A', 'acme/app-two#1')])).toBe('acme/app/wiki/A ─reference→ acme/app-two#1');
    const sha = '0123456789abcdef0123456789abcdef01234567';
    expect(edgeText(step(`@${sha}`, ':src/a.ts', { edge_kind: 'touches' }))).toBe(
      'acme/app@0123456789ab ─touches→ :src/a.ts',
    );
  });

  it('lets nothing through that a terminal obeys', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (repo, src, dst) => {
        expect(pathText([step(src, dst, { repo }), step(dst, src, { repo, direction: 'backward' })])).not.toMatch(
          HOSTILE,
        );
      }),
    );
  });
});

describe('a saved source', () => {
  const named = (type: (typeof DOCUMENT_TYPE_NAMES)[number], identity: number | string | [string, string]) =>
    sourceName({ repo: 'acme/app', type, identity, version: '1', content_source: 'index' });

  it('has the name that a reference gives it', () => {
    expect(named('issue', 12)).toBe('acme/app#12');
    expect(named('doc', 'docs/a.md')).toBe('acme/app:docs/a.md');
    expect(named('wiki_doc', 'Home')).toBe('acme/app/wiki/Home');
    expect(named('release', 'v1')).toBe('acme/app/release/v1');
    expect(named('diff', ['0123456789abcdef', 'src/a.ts'])).toBe('acme/app@0123456789ab:src/a.ts');
    expect(named('pr_review_comment', '12345678901234567890')).toBe('acme/app review comment 12345678901234567890');
  });

  it('of any type lets nothing through that a terminal obeys', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.constantFrom(...DOCUMENT_TYPE_NAMES), text, text, (type, id, path) => {
        expect(named(type, [id, path])).not.toMatch(HOSTILE);
      }),
    );
  });
});

it('an amount has two decimals and never hides that there is something', () => {
  expect([0, 0.001, 0.25, 1.7, 5].map(amount)).toEqual(['0', '<0.01', '0.25', '1.70', '5.00']);
});
