import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doctor } from '../../src/lib/admin/doctor.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { documentKey, storeBatch } from '../../src/lib/corpus/store.ts';
import { change, query } from '../../src/lib/engine/database.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { matchesOf } from '../../src/lib/ingest/unresolved.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { testEngine } from '../support/engine.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';
import { comment, inlineComment, issue, review } from '../support/project.ts';

let index: GitHubProject['index'];
let gh: GitHubProject['gh'];
let app: GitHubProject['app'];
const cache = eachWithGitHub((project) => {
  ({ index, gh, app } = project);
});

const later = (seconds = 60): void => {
  index.test.clock.ms += seconds * 1000;
};
const fix = (input: Record<string, unknown> = {}) =>
  invoke(backfill, testEngine(index.test, { source: sourceFor(gh, cache, { pageSize: 2 }) }), {
    surface: 'identities',
    repo: 'acme/app',
    ...input,
  });

/** Runs the repair to its end. */
async function fixAll(limit = 100) {
  const sum = { parts: 0, repaired: 0, notes: [] as string[] };
  let cursor: string | undefined;
  do {
    const part = await fix({ limit, ...(cursor !== undefined && { cursor }) });
    sum.parts += 1;
    sum.repaired += part.repaired;
    sum.notes.push(...part.notes);
    cursor = part.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return sum;
}

let batches = 0;
async function store(...documents: Document[]): Promise<void> {
  batches += 1;
  const watermark = {
    source: 'export:test',
    surface: String(batches),
    before: null,
    after: '1',
    complete: true,
    owner: 'test',
  };
  await storeBatch(index.test.database, indexDocument, { documents, watermark, edgesOf, now: index.test.clock.now() });
}

const isSound = async () => {
  const { checks } = await invoke(doctor, testEngine(index.test), {});
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
};
const time = () => ({ createdAt: index.test.clock.now(), updatedAt: index.test.clock.now() });

/** A project on GitHub, and the same as an old export gave it: comments and reviews without ids. */
async function historical(): Promise<void> {
  const { number } = app.threads.openIssue();
  await store(issue(number));
  for (const body of ['The first of the comments', 'The second of the comments', 'Both at once', 'Both at once']) {
    if (body !== 'Both at once') later();
    app.comments.add(number, body, 'grace');
    await store(comment(number, null, { body, author: 'grace', ...time() }));
  }
  const pull = app.threads.openPull();
  later();
  app.reviews.submit(pull.number, { body: 'Please measure it first', state: 'COMMENTED' });
  await store(
    review(pull.number, null, { body: 'Please measure it first', author: 'grace', state: 'commented', ...time() }),
  );
  for (const line of [3, 4]) {
    app.reviews.addComment(pull.number, { body: 'Why not in the cache?', path: 'src/a.ts', line });
    await store(
      inlineComment(pull.number, null, {
        body: 'Why not in the cache?',
        author: 'grace',
        path: 'src/a.ts',
        line,
        ...time(),
      }),
    );
  }
}

describe('identities', () => {
  it('come from GitHub by thread, author, time and text, and a second pass finds nothing to do', async () => {
    await historical();
    later();
    const first = [...app.comments.shelf.values()][0];
    app.comments.edit(first?.id ?? 0, 'The first of the comments, edited');
    expect((await index.keys()).filter((key) => key.includes('unresolved'))).toHaveLength(6);
    const before = await index.documents();
    const dry = await fix({ dry_run: true });
    expect(dry).toMatchObject({ looked: 6, repaired: 0, next_cursor: 'github:0' });
    expect(await fix({ dry_run: true, cursor: 'github:0' })).toMatchObject({ looked: 6, repaired: 6, done: true });
    expect(await index.documents()).toEqual(before);
    expect(await fixAll(3)).toEqual({ parts: 4, repaired: 6, notes: [] });
    expect(await index.keys()).toEqual([
      '#1',
      ...[...app.comments.shelf.values()].map(({ id }) => `#1/comment/${String(id)}`),
      '#2/review/1400000001',
      '#2/review_comment/1500000001',
      '#2/review_comment/1500000002',
    ]);
    expect((await index.documents()).map(({ body }) => body)).toContain('The first of the comments, edited');
    expect(await fixAll()).toEqual({ parts: 1, repaired: 0, notes: [] });
    await isSound();
  });

  it('come from another stored record without asking GitHub', async () => {
    const same = { body: 'A comment that is known twice', author: 'grace', ...time() };
    await store(
      issue(1),
      comment(1, '7', same),
      comment(1, null, same),
      comment(1, '8', { body: 'Its source id was lost' }),
      comment(1, null, { ...same, body: 'Known by nobody' }),
    );
    await index.test.database.write([
      change("UPDATE documents SET source_id = NULL, key = key || '/unresolved-x' WHERE comment_id = '8'"),
    ]);
    gh.forget();
    const part = await fix({ limit: 10 });
    expect(part).toMatchObject({ looked: 3, repaired: 2, next_cursor: 'github:0' });
    expect(gh.requests).toEqual([]);
    const keys = (await index.keys()).map((key) => key.replace(/-[0-9a-f]{32}$/, ''));
    expect(keys).toEqual(['#1', '#1/comment/7', '#1/comment/8', '#1/issue_comment/unresolved']);
    await isSound();
  });

  it('that nobody knows stay away, and are counted', async () => {
    const { number } = app.threads.openIssue();
    later();
    const gone = app.comments.add(number, 'This one was deleted', 'grace');
    await store(issue(number), comment(number, null, { body: 'This one was deleted', author: 'grace', ...time() }));
    later();
    await store(comment(77, null, { body: 'In a thread that is gone', author: 'grace', ...time() }));
    app.comments.delete(gone.id);
    const before = await index.documents();
    expect(await fixAll()).toMatchObject({ repaired: 0, notes: [expect.stringMatching(/^2 without an identity/)] });
    expect(await index.documents()).toEqual(before);
  });

  it('are not changed by a part that fails, which can be done again', async () => {
    await historical();
    const before = await index.documents();
    gh.fault('/repos/{owner}/{repo}/pulls/comments', { kind: 'truncated', share: 0.5 });
    await expect(fix({ cursor: 'github:0' })).rejects.toMatchObject({ code: 'github_unavailable' });
    expect(await index.documents()).toEqual(before);
    expect(await fix({ cursor: 'github:0' })).toMatchObject({ repaired: 6 });
    for (const cursor of ['github', 'x:1', '5']) {
      await expect(fix({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
    await expect(fix({ repo: 'acme/none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leave what was indexed from GitHub as it is, and the next run with it', async () => {
    await historical();
    await fixAll();
    const types = ['issue_comment', 'pr_review', 'pr_review_comment'];
    const run = () => index.run('acme/app', { types }, { source: sourceFor(gh, cache) });
    expect(await run()).toMatchObject({ failures: [] });
    expect(await run()).toMatchObject({ written: 0, removed: 0 });
    const [rows] = await index.test.database.read([
      query('SELECT key FROM documents WHERE source_id IS NULL', [], (row) => row.key),
    ]);
    expect(rows).toEqual([]);
  });
});

describe('a match', () => {
  const events = fc.array(
    fc.record({ author: fc.constantFrom('ada', 'bob'), createdAt: fc.nat(2), body: fc.constantFrom('x', 'y') }),
    { maxLength: 6 },
  );

  it('is never of another author or time, finds the same text, and takes another only where nothing else can be meant', () => {
    fc.assert(
      fc.property(events, events, (stored, there) => {
        const rows = stored.map((fields) => comment(1, null, fields));
        const candidates = there.map((fields, at) => ({ document: comment(1, String(at + 1), fields) }));
        for (const row of rows) {
          const matches = matchesOf(row, rows, candidates).map(({ document }) => document);
          const same = candidates.filter(
            ({ document: { author, createdAt, body } }) =>
              author === row.author && createdAt === row.createdAt && body === row.body,
          );
          for (const match of matches) expect([match.author, match.createdAt]).toEqual([row.author, row.createdAt]);
          if (same.length > 0) {
            expect(matches.map(documentKey)).toEqual(same.map(({ document }) => documentKey(document)));
          } else if (matches.length > 0) {
            expect(matches).toHaveLength(1);
            expect(rows.filter((each) => each.author === row.author && each.createdAt === row.createdAt)).toHaveLength(
              1,
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
