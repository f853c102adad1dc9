import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { DOCUMENT_TYPE_NAMES, type DocumentTypeName } from '../../src/lib/corpus/document-types.ts';
import { indexProvenance } from '../../src/lib/corpus/provenance.ts';
import { decodeRecord } from '../../src/lib/ingest/export-record.ts';
import { MAX_PATCH_LENGTH } from '../../src/lib/ingest/patch.ts';

const NOW = Date.UTC(2030, 0, 1);
const SHA = '0123456789abcdef0123456789abcdef01234567';

const IDENTITY = {
  issue: { number: 12 },
  pull_request: { number: 13 },
  issue_comment: { number: 12, id: 501 },
  pr_review: { number: 13, id: 601 },
  pr_review_comment: { number: 13, id: 701, path: 'src/cache.ts', commit_sha: SHA },
  release: { tag_name: 'v1.2.0' },
  doc: { path: 'docs/cache.md' },
  wiki_doc: { path: 'Cache-Design' },
  diff: { commit_sha: SHA, path: 'src/cache.ts' },
} as const satisfies Record<DocumentTypeName, object>;

/** A record of a type with all that it needs. */
function record(type: DocumentTypeName, fields: object = {}): Record<string, unknown> {
  return { repo: 'acme/app', type, ...IDENTITY[type], updated_at: '2024-05-02T10:00:00Z', ...fields };
}

function decode(value: unknown): { document: Document; warnings: readonly string[] } {
  const decoded = decodeRecord(typeof value === 'string' ? value : JSON.stringify(value), NOW);
  if ('problem' in decoded) throw new TypeError(decoded.problem);
  return decoded;
}

const documentOf = (value: unknown): Document => decode(value).document;

function problem(value: unknown): string {
  const decoded = decodeRecord(typeof value === 'string' ? value : JSON.stringify(value), NOW);
  return 'problem' in decoded ? decoded.problem : 'no problem';
}

describe('every type', () => {
  test('has its own fields and null for the others', () => {
    const full = {
      number: 9,
      id: 8,
      tag_name: 'v9',
      path: 'a/b.md',
      commit_sha: SHA,
      line: 7,
      in_reply_to: 6,
      title: 'Title',
      body: 'Body',
      state: 'closed',
      labels: ['bug'],
      assignees: ['grace'],
      milestone: '1.0',
      author: 'ada',
      url: 'https://github.com/acme/app',
    };
    const shape = (type: DocumentTypeName): string => {
      const { number, commentId, reviewId, tag, path, commit, line, inReplyTo, labels, assignees, milestone } =
        documentOf(record(type, full));
      return JSON.stringify([
        number,
        commentId,
        reviewId,
        tag,
        path,
        commit,
        line,
        inReplyTo,
        labels,
        assignees,
        milestone,
      ]);
    };
    expect(Object.fromEntries(DOCUMENT_TYPE_NAMES.map((type) => [type, shape(type)]))).toEqual({
      issue: '[9,null,null,null,null,null,null,null,["bug"],["grace"],"1.0"]',
      pull_request: '[9,null,null,null,null,null,null,null,["bug"],["grace"],"1.0"]',
      issue_comment: '[9,"8",null,null,null,null,null,null,[],[],null]',
      pr_review: '[9,null,"8",null,null,null,null,null,[],[],null]',
      pr_review_comment: `[9,"8",null,null,"a/b.md","${SHA}",7,"6",[],[],null]`,
      release: '[null,null,null,"v9",null,null,null,null,[],[],null]',
      doc: '[null,null,null,null,"a/b.md",null,null,null,[],[],null]',
      wiki_doc: '[null,null,null,null,"a/b.md",null,null,null,[],[],null]',
      diff: `[null,null,null,null,"a/b.md","${SHA}",null,null,[],[],null]`,
    });
  });

  test('needs its identity and nothing more', () => {
    const needs: Record<DocumentTypeName, string[]> = {
      issue: ['number'],
      pull_request: ['number'],
      issue_comment: ['number'],
      pr_review: ['number'],
      pr_review_comment: ['number'],
      release: ['tag_name'],
      doc: ['path'],
      wiki_doc: ['path'],
      diff: ['path', 'commit_sha'],
    };
    for (const type of DOCUMENT_TYPE_NAMES) {
      expect(indexProvenance(documentOf(record(type)))).toBeDefined();
      for (const field of ['number', 'id', 'tag_name', 'path', 'commit_sha', 'title', 'updated_at']) {
        for (const absent of [undefined, null]) {
          const expected = needs[type].includes(field) ? `${field} is missing` : 'no problem';
          expect([type, field, problem(record(type, { [field]: absent }))]).toEqual([type, field, expected]);
        }
      }
    }
  });
});

describe('identity', () => {
  test('keeps every digit of an id', () => {
    const ids = ['9007199254740993', '18446744073709551615', '123456789012345678901234567890'];
    for (const id of ids) {
      const line = JSON.stringify(record('issue_comment', { id: 0 })).replace('"id":0', `"id":${id}`);
      expect(documentOf(line).commentId).toBe(id);
      expect(documentOf(record('pr_review', { id })).reviewId).toBe(id);
    }
    expect(documentOf(record('issue_comment', { id: '0042' })).commentId).toBe('42');
  });

  test('an exact parse means what the fast one means', () => {
    const line = `{"repo":"x/y","repo":"acme/app","type":"issue_comment","number":3,"id":9007199254740993,
      "__proto__":{"title":"no"},"body":"n 1234567890123456","big":12345678901234567890.5,"exp":1e3}`;
    expect(documentOf(line)).toMatchObject({ repo: 'acme/app', commentId: '9007199254740993', title: '' });
  });

  test('0, absent or no id at all is an identity that is not known', () => {
    for (const id of [0, '0', '000', null, undefined, '']) {
      expect(decode(record('issue_comment', { id }))).toMatchObject({ document: { commentId: null }, warnings: [] });
    }
    for (const id of [-1, 1.5, 'IC_node', {}, true, 1e300]) {
      const { document, warnings } = decode(record('pr_review', { id }));
      expect([document.reviewId, warnings]).toEqual([null, ['id is not usable and was left out']]);
    }
  });

  test('an id nobody needs is not looked at', () => {
    expect(decode(record('issue', { id: 'I_node', line: 'x', in_reply_to: {} })).warnings).toEqual([]);
  });

  test('a number is a whole number above 0', () => {
    expect(documentOf(record('issue', { number: '17' })).number).toBe(17);
    for (const number of [0, -1, 1.5, 'x', '', {}, [], true, '99999999999999999999']) {
      expect(problem(record('issue', { number }))).toBe('number must be a whole number above 0');
    }
  });

  test('a path stays inside the repository', () => {
    const paths = ['docs/a.md', './docs/a.md', '/docs/a.md', '././docs//a.md', 'docs/./a.md', 'docs/a.md/'];
    expect(new Set(paths.map((path) => documentOf(record('doc', { path })).path))).toEqual(new Set(['docs/a.md']));
    for (const path of ['../a.md', 'docs/../a.md', '/..', '', '/', './.']) {
      expect(problem(record('doc', { path }))).toBe('path must be a path inside the repository');
      expect(problem(record('diff', { path }))).toBe('path must be a path inside the repository');
    }
    expect(documentOf(record('doc', { path: 'a..b/..c.md' })).path).toBe('a..b/..c.md');
    expect(decode(record('pr_review_comment', { path: '../x' }))).toMatchObject({
      document: { path: null },
      warnings: ['path is not usable and was left out'],
    });
  });

  test('a commit is hexadecimal', () => {
    expect(documentOf(record('diff', { commit_sha: 'ABCDEF0' })).commit).toBe('abcdef0');
    expect(documentOf(record('diff', { commit_sha: null, commit_id: SHA })).commit).toBe(SHA);
    expect(documentOf(record('pr_review_comment', { commit_sha: undefined, commit_id: SHA })).commit).toBe(SHA);
    expect(problem(record('diff', { commit_sha: 'main' }))).toBe('commit_sha must be 7 to 64 hexadecimal digits');
    expect(decode(record('pr_review_comment', { commit_sha: 'main' })).document.commit).toBeNull();
  });

  test('a tag is not empty', () => {
    expect(problem(record('release', { tag_name: ' ' }))).toBe('tag_name must not be empty');
  });
});

describe('text', () => {
  test('is normalised everywhere', () => {
    const bad = 'a\\ud83db\\u0000c\\r\\nd';
    const good = 'a\uFFFDb\uFFFDc\nd';
    const issue = JSON.stringify(
      record('issue', { title: '?', body: '?', labels: ['?'], assignees: ['?'], milestone: '?', author: '?' }),
    ).replaceAll('"?"', `"${bad}"`);
    expect(documentOf(issue)).toMatchObject({
      title: good,
      body: good,
      labels: [good],
      assignees: [good],
      milestone: good,
      author: good,
    });
    expect(documentOf(JSON.stringify(record('doc', { path: '?' })).replace('"?"', `"${bad}"`)).path).toBe(good);
    expect(documentOf(JSON.stringify(record('release', { tag_name: '?' })).replace('"?"', `"${bad}"`)).tag).toBe(good);
    const diff = documentOf(JSON.stringify(record('diff', { message: '?', path: '?' })).replaceAll('"?"', `"${bad}"`));
    expect([diff.preface, diff.path, diff.title]).toEqual([good, good, 'a\uFFFDb\uFFFDc']);
    expect(documentOf('{"repo":"acme/app","type":"issue","number":1,"title":"\\ud83d\\ude00"}').title).toBe('😀');
  });

  test('may be missing or long', () => {
    expect(documentOf(record('issue', { title: null, body: null }))).toMatchObject({ title: '', body: '' });
    expect(documentOf(record('issue', { body: 'b'.repeat(65_536) })).body).toHaveLength(65_536);
    expect(documentOf(record('doc', { body: 'm'.repeat(1_000_000) })).body).toHaveLength(1_000_000);
  });

  test('of a diff: message before, patch as body, subject as title', () => {
    const message = 'Drop the v1 cache\n\nIt lost entries.\n';
    const body = '@@ -1 +1 @@\n-old\n+new\n';
    expect(documentOf(record('diff', { message, body }))).toMatchObject({
      title: 'Drop the v1 cache',
      body,
      preface: message,
    });
    expect(documentOf(record('diff', { title: message }))).toMatchObject({
      title: 'Drop the v1 cache',
      preface: message,
    });
    expect(documentOf(record('diff', { title: 'Subject', message }))).toMatchObject({
      title: 'Subject',
      preface: message,
    });
    expect(documentOf(record('diff'))).toMatchObject({ title: '', body: '', preface: '' });
  });

  test('a patch over the limit keeps its size', () => {
    const line = `+${'x'.repeat(99)}\n`;
    const kept = '@@ -1 +1 @@\n'.padEnd(MAX_PATCH_LENGTH, 'y');
    const body = `--- a/src/cache.ts\n+++ b/src/cache.ts\n@@ -1,2 +1,9999 @@\n-old\n-older\n${line.repeat(6000)}`;
    expect(documentOf(record('diff', { body: kept })).body).toBe(kept);
    expect(documentOf(record('diff', { body, message: 'Add a table' }))).toMatchObject({
      body: '+6000 -2',
      preface: 'Add a table',
    });
    expect(documentOf(record('doc', { body })).body).toBe(body);
  });
});

describe('people and lists', () => {
  test('as strings, as objects of the API, or missing', () => {
    const objects = record('issue', {
      author: undefined,
      user: { login: 'ada', id: 1 },
      labels: [{ name: 'bug', color: 'f00' }, 'ui', 'bug', { name: null }, null, ' '],
      assignees: [{ login: 'grace' }, 'linus'],
      milestone: { title: '1.0', number: 4 },
    });
    expect(documentOf(objects)).toMatchObject({
      author: 'ada',
      labels: ['bug', 'ui'],
      assignees: ['grace', 'linus'],
      milestone: '1.0',
    });
    expect(documentOf(record('issue', { author: { login: 'ada' }, user: 'bob' })).author).toBe('ada');
    for (const author of [null, undefined, '', {}, { login: null }]) {
      expect(documentOf(record('issue', { author })).author).toBeNull();
    }
    expect(documentOf(record('issue', { labels: null, assignees: null, milestone: null }))).toMatchObject({
      labels: [],
      assignees: [],
      milestone: null,
    });
  });
});

describe('state', () => {
  const stateOf = (type: DocumentTypeName, fields: object): string | null => documentOf(record(type, fields)).state;

  test('of a merged pull request is merged', () => {
    expect(stateOf('pull_request', { state: 'closed', merged_at: '2024-05-01T00:00:00Z' })).toBe('merged');
    expect(stateOf('pull_request', { merged_at: '2024-05-01T00:00:00Z' })).toBe('merged');
    expect(stateOf('pull_request', { state: 'closed', merged_at: null })).toBe('closed');
    expect(stateOf('pull_request', { state: 'open', merged_at: '2024-05-01T00:00:00Z' })).toBe('open');
    expect(stateOf('pull_request', { state: 'MERGED' })).toBe('merged');
    expect(stateOf('issue', { state: 'closed', merged_at: '2024-05-01T00:00:00Z' })).toBe('closed');
  });

  test('is one the type knows', () => {
    expect(stateOf('pr_review', { state: 'CHANGES_REQUESTED' })).toBe('changes_requested');
    expect(stateOf('issue', { closed_at: '2024-05-01T00:00:00Z' })).toBe('closed');
    expect(stateOf('issue', {})).toBeNull();
    expect(stateOf('release', { state: 'open' })).toBeNull();
    expect(decode(record('issue', { state: 'approved' }))).toMatchObject({
      document: { state: null },
      warnings: ['state is not usable and was left out'],
    });
  });
});

describe('addresses, lines and times', () => {
  test('only web addresses are kept', () => {
    expect(documentOf(record('issue', { url: ' https://github.com/acme/app/issues/12 ' })).url).toBe(
      'https://github.com/acme/app/issues/12',
    );
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'https://', 'https://a b', 'x']) {
      expect(decode(record('issue', { url }))).toMatchObject({
        document: { url: null },
        warnings: ['url is not usable and was left out'],
      });
    }
  });

  test('a line is a positive number', () => {
    expect(documentOf(record('pr_review_comment', { line: 40, in_reply_to_id: 700 }))).toMatchObject({
      line: 40,
      inReplyTo: '700',
    });
    expect(decode(record('pr_review_comment', { line: 0 })).warnings).toEqual(['line is not usable and was left out']);
  });

  test('times without a zone are UTC, impossible ones are left out', () => {
    const { document, warnings } = decode(
      record('issue', { created_at: '2024-05-01T10:00:00', updated_at: '2024-13-01' }),
    );
    expect(document).toMatchObject({
      createdAt: Date.UTC(2024, 4, 1, 10),
      updatedAt: Date.UTC(2024, 4, 1, 10),
      version: '2024-05-01T10:00:00Z',
      versionIsKnown: true,
    });
    expect(warnings).toEqual(['updated_at is not a time and was left out']);
    expect(documentOf(record('doc', { updated_at: null }))).toMatchObject({ versionIsKnown: false, updatedAt: NOW });
  });
});

describe('a bad line', () => {
  test('has one sentence that names the field', () => {
    expect(problem('{"repo": "acme/app", "type": "iss')).toBe('the line is not valid JSON');
    expect(problem('[]')).toBe('the line is not a JSON object');
    expect(problem('null')).toBe('the line is not a JSON object');
    expect(problem({ type: 'issue', number: 1 })).toBe('repo is missing');
    expect(problem(record('issue', { repo: 'no-slash' }))).toBe('repo must have the form owner/name');
    expect(problem(record('issue', { repo: 5 }))).toBe('repo must be a string');
    expect(problem({ repo: 'acme/app', number: 1 })).toBe('type is missing');
    expect(problem(record('issue', { type: 'gist' }))).toBe('type "gist" is unknown');
    expect(problem(record('issue', { type: 5 }))).toBe('type is unknown');
    expect(problem(record('issue', { type: `\u001b[31m\n${'x'.repeat(80)}` }))).toBe(
      `type "[31m ${'x'.repeat(35)}" is unknown`,
    );
    expect(problem(record('issue', { title: 5 }))).toBe('title must be a string');
    expect(problem(record('issue', { body: {} }))).toBe('body must be a string');
    expect(problem(record('issue', { labels: 'bug' }))).toBe('labels must be a list');
    expect(problem(record('issue', { labels: [5] }))).toBe('labels must be a string or an object with name');
    expect(problem(record('issue', { author: 5 }))).toBe('author must be a string or an object with login');
    expect(problem(record('issue', { milestone: [] }))).toBe('milestone must be a string or an object with title');
  });

  test('nested too deeply for an exact parse is one too', () => {
    const deep = `{"repo":"acme/app","type":"issue","number":1,"x":${'['.repeat(200_000)}1234567890123456${']'.repeat(200_000)}}`;
    expect(problem(deep)).toBe('the record is nested too deeply');
  });

  test('no text and no JSON makes it throw', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(null, 0, '', -1, 1e300, '0', [], {}, [null], { login: 1 }, '../x', '9'.repeat(30)),
    );
    const fields = fc.dictionary(
      fc.constantFrom(
        ...Object.keys(record('diff')),
        'id',
        'number',
        'labels',
        'author',
        'user',
        'milestone',
        'line',
        'state',
      ),
      value,
    );
    const typed = fc
      .tuple(fc.constantFrom(...DOCUMENT_TYPE_NAMES), fields)
      .map(([type, more]) => JSON.stringify(record(type, more)));
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fields.map((more) => JSON.stringify(more)),
      typed,
    );
    fc.assert(
      fc.property(line, (text) => {
        const decoded = decodeRecord(text, NOW);
        if ('problem' in decoded) {
          expect(decoded.problem).toMatch(/^[a-z][^\n]{5,120}$/);
          return;
        }
        const { document } = decoded;
        expect(DOCUMENT_TYPE_NAMES).toContain(document.type);
        expect(Number.isSafeInteger(document.createdAt) && Number.isSafeInteger(document.updatedAt)).toBe(true);
        expect(JSON.stringify(document)).not.toMatch(/\\ud[89a-f]|\\u0000/);
        const provenance = indexProvenance(document);
        if (document.commentId === null && document.reviewId === null && /comment|review/.test(document.type)) {
          expect(provenance).toBeUndefined();
        } else {
          expect(provenance?.version).toBe(document.version);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
