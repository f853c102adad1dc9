import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { entityKey, isReference, referenceOf, splitReference } from '../../src/lib/corpus/reference.ts';
import { comment, diff, doc, inlineComment, issue, pull, release, review, wiki } from '../support/project.ts';

const SHA = 'ab'.repeat(20);

test.each<[string, Document]>([
  ['acme/app#12', issue(12)],
  ['acme/app#13', pull(13)],
  ['acme/app#12/comment/345', comment(12, '345')],
  ['acme/app#12/comment/9007199254740993', comment(12, '9007199254740993')],
  ['acme/app#12/review/345', review(12, '345')],
  ['acme/app#12/review_comment/345', inlineComment(12, '345')],
  ['acme/app:docs/a.md', doc('docs/a.md')],
  [`acme/app@${SHA}:src/x.ts`, diff('ab', 'src/x.ts')],
  ['acme/app/release/v1.2.0', release('v1.2.0')],
  ['acme/app/wiki/Home', wiki('Home')],
])('%s is the reference of its document', (reference, document) => {
  expect(referenceOf(document)).toBe(reference);
  expect(isReference(reference)).toBe(true);
});

test('what has no identity has no reference', () => {
  for (const document of [comment(1, null), comment(1, '0'), review(1, null), inlineComment(1, '00')]) {
    expect(referenceOf(document)).toBeUndefined();
  }
});

test.each([
  '',
  'acme',
  'acme/app',
  'acme/app#',
  'acme/app#x',
  'acme/app#12/comment/',
  'acme/app#12/notes/3',
  'acme/app#12 ',
  ' acme/app#12',
  'acme/app:',
  'acme/app@abc123:x',
  'acme/app@abcdefg:x',
  'acme/app@abcdef12',
  'acme/app/release/',
  'acme/app/wiki/',
  'acme/app/blob/main/x',
  '-acme/app#1',
  '_acme/app#1',
  'mona_/app#1',
  'acme/app/x#1',
  'src_abc',
  `acme/app:${'x'.repeat(1000)}`,
])('%j is no reference', (text) => {
  expect(isReference(text)).toBe(false);
});

describe('a reference comes apart as it was put together', () => {
  const slug = fc
    .tuple(
      fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}(?:_[A-Za-z0-9]{1,8})?$/),
      fc.stringMatching(/^[A-Za-z0-9._-]{1,30}$/),
    )
    .map(([owner, name]) => `${owner}/${name}`);
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
  const number = fc.integer({ min: 1, max: 2 ** 31 });
  const id = fc.bigInt({ min: 1n, max: 2n ** 70n }).map(String);
  const hex = fc.stringMatching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

  test('for every type, path and tag', () => {
    const documents = fc.oneof(
      number.map((n) => issue(n)),
      fc.tuple(number, id).map(([n, i]) => comment(n, i)),
      fc.tuple(number, id).map(([n, i]) => review(n, i)),
      fc.tuple(number, id).map(([n, i]) => inlineComment(n, i)),
      text.map((path) => doc(path)),
      text.map((tag) => release(tag)),
      text.map((path) => wiki(path)),
      fc.tuple(hex, text).map(([commit, path]) => ({ ...diff('ab', path), commit })),
    );
    fc.assert(
      fc.property(slug, documents, (repo, fields) => {
        const document = { ...fields, repo };
        const reference = referenceOf(document);
        const parts = splitReference(reference ?? '');
        expect(parts?.repo).toBe(repo);
        expect(parts?.commit).toBe(document.commit ?? undefined);
        expect(parts?.rest).toBe(document.type === 'diff' ? document.path : reference?.slice(repo.length));
      }),
    );
  });

  test('and any other text leads to no error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (any) => {
        const parts = splitReference(any);
        if (parts !== undefined) expect(any.startsWith(parts.repo)).toBe(true);
      }),
    );
  });
});

test('commits may be abbreviated and in capitals', () => {
  expect(splitReference('Acme/App@ABCDEF0:src/X.ts')).toEqual({
    repo: 'Acme/App',
    commit: 'abcdef0',
    rest: 'src/X.ts',
  });
});

test('rows fold by what they are about', () => {
  const key = (document: Document): string => entityKey(document, referenceOf(document) ?? 'none');
  const thread = [issue(12), comment(12, '1'), review(12, '2'), inlineComment(12, '3'), comment(12, null)].map(key);
  expect(new Set(thread)).toEqual(new Set(['thread:acme/app:12']));
  expect(key(doc('src/x.md'))).toBe('file:acme/app:src/x.md');
  expect(key(diff('a', 'src/x.md'))).toBe('file:acme/app:src/x.md');
  expect(key(diff('b', 'src/y.md'))).not.toBe(key(diff('b', 'src/x.md')));
  expect(key(doc('src/x.md', { repo: 'acme/other' }))).not.toBe(key(doc('src/x.md')));
  expect(key(issue(12))).not.toBe(key(pull(13)));
  expect(key(release('v1'))).toBe('self:acme/app/release/v1');
  expect(key(wiki('Home'))).toBe('self:acme/app/wiki/Home');
});
