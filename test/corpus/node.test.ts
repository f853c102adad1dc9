import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyWithin, nodeOf, nodeParts, joinNode, referenceOfNode, repoOf } from '../../src/lib/corpus/node.ts';
import { entityKey, referenceOf, splitReference } from '../../src/lib/corpus/reference.ts';
import { comment, diff, doc, issue, release, wiki } from '../support/project.ts';

const CASES = [
  ['#12', 'thread:acme/app:12', 'acme/app#12'],
  [':docs/a.md', 'file:acme/app:docs/a.md', 'acme/app:docs/a.md'],
  [':a#b:c@d/wiki/e.md', 'file:acme/app:a#b:c@d/wiki/e.md', 'acme/app:a#b:c@d/wiki/e.md'],
  [`@${'a1'.repeat(20)}`, `commit:acme/app:${'a1'.repeat(20)}`, `acme/app@${'a1'.repeat(20)}`],
  ['wiki/Page', 'self:acme/app/wiki/Page', 'acme/app/wiki/Page'],
  ['wiki/owner/name#12', 'self:acme/app/wiki/owner/name#12', 'acme/app/wiki/owner/name#12'],
  ['release/v1/rc:2', 'self:acme/app/release/v1/rc:2', 'acme/app/release/v1/rc:2'],
] as const;

describe('a node', () => {
  it.each(CASES)('of the own repository by %s', (key, node, reference) => {
    expect(nodeOf('acme/app', key)).toBe(node);
    expect(keyWithin('acme/app', node)).toBe(key);
    expect(referenceOfNode(node)).toBe(reference);
    expect(repoOf(node)).toBe('acme/app');
  });

  it.each(CASES)('of another repository by its reference, as %s would be there', (_, node, reference) => {
    expect(nodeOf('acme/lib', reference)).toBe(node);
    expect(keyWithin('acme/lib', node)).toBe(reference);
  });

  it('is the entity that documents fold into', () => {
    for (const document of [issue(7), doc('docs/a.md'), wiki('Page'), release('v1')]) {
      const reference = referenceOf(document) ?? '';
      const key = reference.replace(/^acme\/app\/?/, '');
      expect(nodeOf('acme/app', key)).toBe(entityKey(document, reference));
    }
    expect(nodeOf('acme/app', '#7')).toBe(entityKey(comment(7, '1'), ''));
    expect(nodeOf('acme/app', ':src/a.ts')).toBe(entityKey(diff('a1', 'src/a.ts'), ''));
  });

  it('tells repositories apart by their spelling', () => {
    expect(keyWithin('acme/app', 'thread:Acme/App:12')).toBe('Acme/App#12');
  });
});

it('what is no canonical node is left as it is', () => {
  for (const odd of [
    '',
    'thread:',
    'self:acme/app#null/wiki_doc/unresolved-1',
    'elsewhere:acme/app:1',
    'file:acme/app/x',
  ]) {
    expect(nodeParts(odd)).toBeUndefined();
    expect(referenceOfNode(odd)).toBe(odd);
    expect(repoOf(odd)).toBe('');
  }
});

const slug = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,6}(?:_[A-Za-z0-9]{1,4})?$/),
    fc.stringMatching(/^[A-Za-z0-9._-]{0,6}[A-Za-z0-9]$/),
  )
  .map((parts) => parts.join('/'))
  // An owner of this name has no references from elsewhere: they look like the pages and releases of the own repository.
  .filter((text) => !/^(?:wiki|release)\//.test(text));
const rest = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const key = fc.oneof(
  fc.nat().map((number) => `#${String(number)}`),
  rest.map((path) => `:${path}`),
  fc.stringMatching(/^[0-9a-f]{40}$/).map((sha) => `@${sha}`),
  rest.map((page) => `wiki/${page}`),
  rest.map((tag) => `release/${tag}`),
);

it('keys, nodes and references say the same, whatever paths and names hold', () => {
  fc.assert(
    fc.property(slug, slug, key, (repo, other, own) => {
      const node = nodeOf(repo, own);
      expect(keyWithin(repo, node)).toBe(own);
      expect(nodeOf(other, keyWithin(other, node))).toBe(node);
      expect(nodeOf(other, referenceOfNode(node))).toBe(node);
      const parts = nodeParts(node);
      expect(parts?.repo).toBe(repo);
      expect(parts && joinNode(parts)).toBe(node);
      if (!own.startsWith('@')) expect(splitReference(referenceOfNode(node))?.repo).toBe(repo);
    }),
    { numRuns: 2000 },
  );
});
