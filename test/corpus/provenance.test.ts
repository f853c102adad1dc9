import { expect, test } from 'vitest';
import { identityOf, indexProvenance, type Provenance, sourceId } from '../../src/lib/corpus/provenance.ts';
import { comment, diff, doc, inlineComment, issue, release, review, wiki } from '../support/project.ts';

const base = { repo: 'acme/app', content_source: 'index' } as const;

// Computed apart from this program: canonical JSON as printed by Python's json (sorted keys, no spaces), then sha256 and
// base64url of hashlib and base64.
test.each<[string, Provenance]>([
  [
    'src_aqboFujXiGS8-wG7KE92vBwf2MnSW1ZCXGzUFZWEYzQ',
    { ...base, type: 'issue', identity: 12, version: '2024-01-02T00:00:00Z' },
  ],
  [
    'src_kM7LBK1qZzkc_2r6ixXyCtBf1bjSwmu64VR7PWHAsgI',
    {
      ...base,
      type: 'diff',
      identity: ['0123456789abcdef0123456789abcdef01234567', 'docs/同期 "plan".md'],
      version: '2024-03-05T06:07:08Z',
    },
  ],
  [
    'src_IYSEBZMOJ4rJxOPWbaD3P1lyWDnr6UBawGxGMDWVLKM',
    { ...base, type: 'pr_review_comment', identity: '9007199254740993', version: '2024-01-02T00:00:00.250Z' },
  ],
  [
    'src_kWlLJMsYqmmZ-zF2lwbuZAyY07R-A7ag6q_2iFVbFRc',
    {
      repo: 'acme/app',
      type: 'wiki_doc',
      identity: 'Home',
      version: 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      content_source: 'github_live',
    },
  ],
])('the source id %s is pinned', (id, provenance) => {
  expect(sourceId(provenance)).toBe(id);
  // Neither the order of the fields nor anything beside them counts.
  const reversed = Object.fromEntries(Object.entries({ title: 'x', ...provenance }).reverse());
  expect(sourceId(reversed as unknown as Provenance)).toBe(id);
});

test('each type has its identity', () => {
  const identities = [
    issue(7),
    comment(7, '345'),
    review(7, '346'),
    inlineComment(7, '347'),
    release('v1.2.0'),
    doc('docs/a.md'),
    wiki('Home'),
    diff('ab', 'src/x.ts'),
  ].map(identityOf);
  expect(identities).toEqual([7, 345, 346, 347, 'v1.2.0', 'docs/a.md', 'Home', ['ab'.repeat(20), 'src/x.ts']]);
});

test('an id that JSON numbers cannot hold is a string, and 0 is none', () => {
  expect(identityOf(comment(7, '9007199254740991'))).toBe(9007199254740991);
  expect(identityOf(comment(7, '9007199254740992'))).toBe('9007199254740992');
  for (const id of ['0', '000', null]) {
    expect(identityOf(comment(7, id))).toBeUndefined();
    expect(indexProvenance(review(7, id))).toBeUndefined();
  }
});
