import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { DOCUMENT_TYPE_NAMES } from '../../src/lib/corpus/document-types.ts';
import { linguistAttributes } from '../../src/lib/ingest/gitattributes.ts';
import { isBot, isDocumentPath, leftOut, leftOutPath } from '../../src/lib/ingest/selection.ts';

function document(fields: Partial<Document>): Document {
  return {
    repo: 'acme/app',
    type: 'issue_comment',
    number: 1,
    commentId: '5',
    reviewId: null,
    tag: null,
    path: null,
    commit: null,
    line: null,
    inReplyTo: null,
    title: '',
    body: 'a comment of some length',
    preface: '',
    state: null,
    labels: [],
    milestone: null,
    assignees: [],
    author: 'ada',
    url: null,
    createdAt: 0,
    updatedAt: 0,
    version: '1970-01-01T00:00:00Z',
    versionIsKnown: true,
    blob: null,
    ...fields,
  };
}

const SPOKEN = ['issue_comment', 'pr_review', 'pr_review_comment'] as const;

describe('left out by author', () => {
  test('comments and reviews of bots, and nothing else of theirs', () => {
    for (const type of DOCUMENT_TYPE_NAMES) {
      const reason = leftOut(document({ type, author: 'release-bot[bot]', path: 'docs/a.md' }));
      expect([type, reason]).toEqual([type, SPOKEN.some((spoken) => spoken === type) ? 'bot' : undefined]);
    }
  });

  test('only the ending counts', () => {
    expect(['x[bot]', 'X[Bot]', 'robot', '[bot]x', 'bot'].map(isBot)).toEqual([true, true, false, false, false]);
    expect(leftOut(document({ author: null }))).toBeUndefined();
  });
});

describe('left out by length', () => {
  test('under 10 code points after trimming', () => {
    for (const type of SPOKEN) {
      expect(leftOut(document({ type, body: `  ${'x'.repeat(9)}\n\n` }))).toBe('short');
      expect(leftOut(document({ type, body: 'x'.repeat(10) }))).toBeUndefined();
      expect(leftOut(document({ type, body: '😀'.repeat(9) }))).toBe('short');
      expect(leftOut(document({ type, body: '😀'.repeat(10) }))).toBeUndefined();
    }
  });

  test('a review without words is left out whatever its verdict', () => {
    expect(leftOut(document({ type: 'pr_review', state: 'approved', body: '' }))).toBe('short');
    expect(leftOut(document({ type: 'pr_review', state: 'changes_requested', body: ' ' }))).toBe('short');
  });

  test('issues, releases and files may be as short as they like', () => {
    for (const type of ['issue', 'pull_request', 'release', 'doc', 'wiki_doc', 'diff'] as const) {
      expect(leftOut(document({ type, body: '', path: 'a.md' }))).toBeUndefined();
    }
  });
});

describe('paths', () => {
  test('documents by their extension', () => {
    const documents = ['README.md', 'docs/a.MDX', 'a.markdown', 'b.rst', 'c.adoc', 'd.txt', '.github/x.md'];
    const others = ['README', 'a.md.ts', 'md', 'a.html', 'docs.md/a.c', 'amd'];
    expect(documents.filter(isDocumentPath)).toEqual(documents);
    expect(others.filter(isDocumentPath)).toEqual([]);
  });

  test('generated files', () => {
    const generated =
      `package-lock.json a/b/yarn.lock pnpm-lock.yaml Cargo.lock go.sum a/Gemfile.lock poetry.lock uv.lock
      composer.lock Package.resolved bun.lockb flake.lock js/app.min.js css/app.min.css app.js.map x.d.ts.map
      test/__snapshots__/a.test.ts a.snap api/v1.pb.go api_pb2.py dist/index.js a/dist/b/readme.md x.generated.ts`.split(
        /\s+/,
      );
    expect(generated.filter((path) => leftOutPath(path) !== 'generated')).toEqual([]);
  });

  test('vendored files', () => {
    const vendored = `node_modules/a/readme.md a/vendor/b.go third_party/x.c third-party/x.c thirdparty/x.c
      3rdparty/x.c Pods/A/a.m bower_components/a.js .yarn/releases/yarn.cjs .venv/lib/a.py lib/site-packages/a.py`.split(
      /\s+/,
    );
    expect(vendored.filter((path) => leftOutPath(path) !== 'vendored')).toEqual([]);
  });

  test('what only looks like it stays', () => {
    const kept = `src/lock.ts docs/vendor.md src/vendors.go distribution/a.md dist lockfile.md min.js src/admin.js
      world.map docs/package-lock.md vendor build/a.ts packages.json src/dist.ts`.split(/\s+/);
    expect(kept.filter((path) => leftOutPath(path) !== undefined)).toEqual([]);
  });

  test('.gitattributes wins over names, in both directions', () => {
    const attributes = linguistAttributes([
      {
        path: '.gitattributes',
        text: 'vendor/ours/** -linguist-vendored\ndist/*.md linguist-generated=false\napi/*.md linguist-generated\nimported/** linguist-vendored',
      },
    ]);
    expect(leftOutPath('vendor/ours/a.md', attributes)).toBeUndefined();
    expect(leftOutPath('vendor/theirs/a.md', attributes)).toBe('vendored');
    expect(leftOutPath('dist/notes.md', attributes)).toBeUndefined();
    expect(leftOutPath('api/index.md', attributes)).toBe('generated');
    expect(leftOutPath('imported/a.md', attributes)).toBe('vendored');
    expect(leftOut(document({ type: 'diff', path: 'api/index.md', body: '' }), attributes)).toBe('generated');
  });

  test('an inline comment on a generated file is kept: people wrote it', () => {
    expect(leftOut(document({ type: 'pr_review_comment', path: 'package-lock.json' }))).toBeUndefined();
  });
});
