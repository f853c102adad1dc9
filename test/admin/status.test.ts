import { afterEach, expect, test } from 'vitest';
import { formatMark, writeMark } from '../../src/lib/admin/db-copy-mark.ts';
import { status } from '../../src/lib/admin/status.ts';
import { renderStatus } from '../../src/lib/cli/render-admin.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import { change } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { CountingDatabase, testBackend } from '../support/database.ts';
import { comment, diff, doc, issue, TestProject } from '../support/project.ts';

const NO_COLOR = {
  noColor: '1',
  forceColor: undefined,
  cliColorForce: undefined,
  cliColor: undefined,
  term: undefined,
};
const PLAIN = terminalOf(NO_COLOR, { isTTY: false, columns: undefined });

let project: TestProject | undefined;
afterEach(async () => {
  await project?.test.remove();
});

async function open(...given: Parameters<typeof TestProject.of>): Promise<TestProject> {
  project = await TestProject.of(...given);
  return project;
}

test.skipIf(testBackend() !== 'local')('says what is indexed and how far it came, in at most two reads', async () => {
  const facts = new Map([['acme/app', { defaultBranch: 'main', headCommit: 'ab'.repeat(20) }]]);
  const documents = [issue(1), issue(2), comment(1, '5'), doc('a.md', { body: '# A\n\nx' }), diff('ab', 'src/x.ts')];
  const { engine, test: database } = await open([...documents, issue(1, { repo: 'acme/Other' })], facts);
  await engine.database.write([
    change(
      `INSERT INTO watermarks (source, surface, value, complete, updated_at) VALUES ('acme/app', 'docs', '1', 0, '2024-06-02T00:00:00.000Z')`,
    ),
  ]);
  const counting = new CountingDatabase(engine.database);
  const answer = await invoke(status, { ...engine, database: counting }, {});
  expect(counting.reads).toBeLessThanOrEqual(2);
  expect(counting.writes).toBe(0);
  expect(status.output.parse(answer)).toMatchObject({
    database: { backend: 'local', location: database.file },
    embedder: null,
    documents: 6,
    passages: 6,
    repos: [
      {
        repo: 'acme/app',
        default_branch: 'main',
        head_commit: 'ab'.repeat(20),
        index_updated_at: '2024-06-01T12:00:00.000Z',
        documents: { issue: 2, issue_comment: 1, doc: 1, diff: 1 },
      },
      { repo: 'acme/Other', default_branch: null, head_commit: null, documents: { issue: 1 } },
    ],
    // What was interrupted comes first.
    watermarks: [
      { source: 'acme/app', surface: 'docs', complete: false },
      { source: 'test', surface: '1', complete: true },
    ],
  });
  expect(answer.database.schema_version).toBeGreaterThanOrEqual(1);
});

test('tells what embeds, how much of the index has its vectors, and what to do about the rest', async () => {
  const words = ['kettle boils', 'worker waits', 'window hides', 'kettle waits'];
  const { engine } = await open(words.map((title, at) => issue(at + 1, { title })));
  const lsa = { ...engine, embedder: 'lsa' as const };
  const line = async (parts: Partial<Engine> = {}): Promise<string | undefined> =>
    /^embedder +(.*)$/m.exec(renderStatus(await invoke(status, { ...lsa, ...parts }, {}), PLAIN, 0))?.[1];
  expect(await line({ embedder: null })).toBe('none: search is lexical');
  expect(await line()).toBe(
    'none: search is lexical (nothing is embedded yet, or there is too little text to learn from: gh-rag backfill embeddings)',
  );
  await embedIndex(lsa);
  expect(await line()).toMatch(/^lsa-\d+-[0-9a-f]{12}, 4 passages embedded$/);
  await project?.add([issue(9, { title: 'menu' })]);
  expect(await line()).toMatch(/, 4 passages embedded; 1 are not: gh-rag backfill embeddings$/);
  const other = { id: 'endpoint:models.example.com:m', embed: () => Promise.reject(new Error('not asked')) };
  expect(await line({ embedder: other })).toBe(
    'endpoint:models.example.com:m, 0 passages embedded; 5 are not: gh-rag backfill embeddings',
  );
});

test.each([undefined, ['acme/*']])('of a copy that was begun says so in a line, with the list %j', async (entries) => {
  const { engine } = await open([issue(1)]);
  const shown = async () =>
    renderStatus(await invoke(status, { ...engine, allowed: allowedBy(entries) }, {}), PLAIN, Date.UTC(2024, 5, 2));
  expect(await shown()).not.toContain('copy');
  await engine.database.write([
    writeMark(formatMark({ origin: 'local:x', table: 'repos', after: null, rows: 0 }), Date.UTC(2024, 5, 1)),
  ]);
  const text = await shown();
  expect(text).toContain('\n\nThis database is an unfinished copy, a part of its source: ');
  expect(text).not.toContain('unfinished: ');
});

test('of an empty database says that there is nothing', async () => {
  const { engine } = await open([]);
  await engine.database.write([change('DELETE FROM watermarks')]);
  expect(await invoke(status, engine, {})).toMatchObject({ documents: 0, passages: 0, repos: [], watermarks: [] });
});

test.each([
  [null, null],
  [Date.UTC(2024, 5, 1, 11, 57), '2024-06-01T11:57:00.000Z'],
])('tells since when a copy is behind its server: %s', async (staleSince, stale_since) => {
  const { engine, test: database } = await open([]);
  const fresh = await invoke(status, engine, {});
  expect(fresh.database).not.toHaveProperty('stale_since');
  const behind = new CountingDatabase(engine.database);
  Object.defineProperty(behind, 'staleSince', { value: staleSince });
  const answer = await invoke(status, { ...engine, database: behind }, {});
  expect(status.output.parse(answer).database.stale_since).toBe(stale_since);
  const text = renderStatus(answer, PLAIN, database.clock.ms);
  expect(text).toContain(
    `\n          The database server is away or behind: this is a local copy ${stale_since === null ? 'of unknown age' : 'from 3 minutes ago'}.\n`,
  );
});

test('names at most 200 watermarks', async () => {
  const { engine } = await open([]);
  await engine.database.write([
    change(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO watermarks (source, surface, value, complete, updated_at) SELECT 'export:' || i, 'records', '1', i <> 7, '2024-01-01T00:00:00.000Z' FROM n`),
  ]);
  const { watermarks } = await invoke(status, engine, {});
  expect(watermarks).toHaveLength(200);
  expect(watermarks[0]).toMatchObject({ source: 'export:7', complete: false });
});
