import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { documentKey, storeBatch } from '../../src/lib/corpus/store.ts';
import { change, type WriteOutcome, type WriteStep } from '../../src/lib/engine/database.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { MemoryWorld } from '../feedback/memory.ts';
import { CountingDatabase } from '../support/database.ts';
import { comment, diff, doc, issue, release, wiki } from '../support/project.ts';

const opened: MemoryWorld[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.remove()));
});

async function world(...batches: readonly (readonly Document[])[]): Promise<MemoryWorld> {
  const made = await MemoryWorld.of([]);
  opened.push(made);
  for (const batch of batches) await made.index(batch);
  return made;
}

/** Every edge as `src kind dst`, in order. */
async function edges(of: MemoryWorld): Promise<unknown[]> {
  const rows = await of.rows("SELECT DISTINCT src || ' ' || kind || ' ' || dst AS edge FROM edges ORDER BY edge");
  return rows.map((row) => row.edge);
}

const COMMIT = `abcdef1${'2'.repeat(33)}`;
const NEIGHBOUR = `abcdef1${'3'.repeat(33)}`;
const naming = (text: string, number = 1): Document => issue(number, { body: `It came with ${text}.` });
const commitEdge = (rest: string): string => `thread:acme/app:1 reference commit:acme/app:${rest}`;
const touches = (sha: string): string => `commit:acme/app:${sha} touches file:acme/app:a.ts`;

describe('edges', () => {
  it('are replaced with their document and go with it', async () => {
    const index = await world([issue(1, { body: 'See #2 and #3.' }), issue(2, { body: 'See #3.' })]);
    await index.index([issue(1, { body: 'See #4.' })]);
    expect(await edges(index)).toEqual([
      'thread:acme/app:1 reference thread:acme/app:4',
      'thread:acme/app:2 reference thread:acme/app:3',
    ]);
    await index.index([], ['acme/app#1']);
    expect(await edges(index)).toEqual(['thread:acme/app:2 reference thread:acme/app:3']);
    await index.index([issue(2, { body: 'Nothing.' })]);
    expect(await edges(index)).toEqual([]);
  });

  it('are stated by each document of a thread on its own', async () => {
    const says = comment(1, '5', { body: 'Compare #2 once more.' });
    const index = await world([issue(1, { body: 'See #2.' }), says]);
    await index.index([], [documentKey(says)]);
    expect(await edges(index)).toEqual(['thread:acme/app:1 reference thread:acme/app:2']);
  });

  it('of documents that did not change are not written again', async () => {
    const documents = [issue(1, { body: 'See #2, acme/lib#1.' }), wiki('Home', { body: 'To Setup' }), wiki('Setup')];
    const index = await world(documents);
    await index.test.database.write([
      change('CREATE TABLE touched (src TEXT)'),
      ...['INSERT', 'DELETE', 'UPDATE'].map((verb) =>
        change(
          `CREATE TRIGGER on_${verb} AFTER ${verb} ON edges BEGIN INSERT INTO touched VALUES (${verb === 'DELETE' ? 'OLD' : 'NEW'}.src); END`,
        ),
      ),
    ]);
    const before = await edges(index);
    expect(before).toHaveLength(3);
    await index.index([...documents, issue(9, { body: 'See #8.' }), issue(1, { repo: 'acme/lib' }), wiki('Other')]);
    expect(await index.rows('SELECT src FROM touched')).toEqual([{ src: 'thread:acme/app:9' }]);
    expect(await edges(index)).toEqual([...before, 'thread:acme/app:9 reference thread:acme/app:8']);
  });
});

describe('the first digits of a commit', () => {
  it.each([
    ['before the text', [[diff(COMMIT, 'a.ts')], [naming('abcdef12')]]],
    ['after the text', [[naming('abcdef12')], [diff(COMMIT, 'a.ts')]]],
    ['with the text', [[naming('abcdef12'), diff(COMMIT, 'a.ts')]]],
  ])('lead to the commit that is indexed %s', async (_, batches) => {
    expect(await edges(await world(...batches))).toEqual([touches(COMMIT), commitEdge(COMMIT)]);
  });

  it.each([
    [[diff(COMMIT, 'a.ts')], [diff(NEIGHBOUR, 'a.ts')], [naming('abcdef1')]],
    [[diff(COMMIT, 'a.ts')], [naming('abcdef1')], [diff(NEIGHBOUR, 'a.ts')]],
    [[naming('abcdef1')], [diff(COMMIT, 'a.ts'), diff(NEIGHBOUR, 'a.ts')]],
  ])('lead nowhere while two commits begin with them, in whatever order they came', async (...batches) => {
    const ambiguous = await world(...batches);
    expect(await edges(ambiguous)).toEqual([touches(COMMIT), touches(NEIGHBOUR), commitEdge('abcdef1')]);
    await ambiguous.index([naming('abcdef13')]);
    expect(await edges(ambiguous)).toEqual([touches(COMMIT), touches(NEIGHBOUR), commitEdge(NEIGHBOUR)]);
  });

  it('lead nowhere where no such commit is indexed, or only in another repository', async () => {
    const elsewhere = diff(COMMIT, 'a.ts', { repo: 'acme/lib' });
    expect(await edges(await world([elsewhere], [naming('abcdef1')]))).toContain(commitEdge('abcdef1'));
    expect(await edges(await world([naming('abcdef1')], [elsewhere]))).toContain(commitEdge('abcdef1'));
  });

  it('may be more or fewer in one document', async () => {
    const text = naming(`abcdef1, abcdef122 and ${COMMIT}`);
    for (const batches of [
      [[text], [diff(COMMIT, 'a.ts')]],
      [[diff(COMMIT, 'a.ts')], [text]],
    ]) {
      expect(await edges(await world(...batches))).toEqual([touches(COMMIT), commitEdge(COMMIT)]);
    }
  });

  it('of a whole id are not looked up: it names itself', async () => {
    expect(await edges(await world([diff(NEIGHBOUR, 'a.ts')], [naming(COMMIT)]))).toContain(commitEdge(COMMIT));
  });
});

describe('another repository', () => {
  const text = issue(1, {
    body: 'See Acme/LIB#2, https://github.com/aCME/lib/blob/main/docs/a.md, https://github.com/ACME/lib/wiki/Home, Acme/Lib@abcdef12 and https://github.com/ACME/LIB/releases/tag/v1.',
  });
  const there = (repo: string): Document[] => [issue(2, { repo }), diff(COMMIT, 'a.ts', { repo })];
  const ends = (repo: string, commit: string): string[] =>
    [`commit:${repo}:${commit}`, `file:${repo}:docs/a.md`, `self:${repo}/release/v1`, `self:${repo}/wiki/Home`]
      .concat(`thread:${repo}:2`)
      .map((dst) => `thread:acme/app:1 reference ${dst}`);
  const fromApp = async (index: MemoryWorld) =>
    (await edges(index)).filter((edge) => String(edge).startsWith('thread'));

  it.each(['acme/lib', 'Acme/Lib'])('is named as the index spells it: %s', async (repo) => {
    expect(await fromApp(await world(there(repo), [text]))).toEqual(ends(repo, COMMIT));
    const later = await world([text]);
    expect(await fromApp(later)).toEqual(ends('acme/lib', 'abcdef12'));
    await later.index(there(repo));
    expect(await fromApp(later)).toEqual(ends(repo, COMMIT));
  });

  it('is the own one in whatever case it is written', async () => {
    const own = issue(1, { repo: 'Acme/App', body: 'See acme/app#2 and https://github.com/ACME/APP/issues/3.' });
    expect(await edges(await world([own]))).toEqual([
      'thread:Acme/App:1 reference thread:Acme/App:2',
      'thread:Acme/App:1 reference thread:Acme/App:3',
    ]);
  });
});

describe('a wiki page', () => {
  const mention = (from: string, to: string): string => `self:acme/app/wiki/${from} mention self:acme/app/wiki/${to}`;

  it('is mentioned by older pages once it arrives, and no more once it is gone', async () => {
    const index = await world([
      wiki('Home', { body: 'First read Set-Up, then go.' }),
      wiki('Else', { body: 'Set-Ups.' }),
    ]);
    expect(await edges(index)).toEqual([]);
    await index.index([wiki('Set-Up')]);
    expect(await edges(index)).toEqual([mention('Home', 'Set-Up')]);
    await index.index([], ['acme/app/wiki/Set-Up']);
    expect(await edges(index)).toEqual([]);
    await index.index([wiki('Set-Up', { body: 'Back again.' })]);
    expect(await edges(index)).toEqual([mention('Home', 'Set-Up')]);
  });

  it('that is linked stays an end when it is gone', async () => {
    const index = await world([wiki('Home', { body: 'See [[Set Up]].' }), wiki('Set-Up')]);
    await index.index([], ['acme/app/wiki/Set-Up']);
    expect(await edges(index)).toEqual([mention('Home', 'Set-Up')]);
  });

  it('that arrives takes over from the shorter name within its own, and gives it back', async () => {
    const index = await world([wiki('Home', { body: 'See Set.Up here.' }), wiki('Set'), wiki('Up')]);
    expect(await edges(index)).toEqual([mention('Home', 'Set'), mention('Home', 'Up')]);
    await index.index([wiki('Set.Up')]);
    expect(await edges(index)).toEqual([mention('Home', 'Set.Up')]);
    await index.index([], ['acme/app/wiki/Set.Up']);
    expect(await edges(index)).toEqual([mention('Home', 'Set'), mention('Home', 'Up')]);
  });

  it('that changes in the batch in which another arrives counts by its new text alone', async () => {
    const index = await world([wiki('Home', { body: 'See Setup.' }), wiki('Old', { body: 'See Setup.' })]);
    await index.index([wiki('Home', { body: 'Nothing.' }), wiki('Setup')], ['acme/app/wiki/Old']);
    expect(await edges(index)).toEqual([]);
  });

  it('that somebody else changes while another arrives is read anew', async () => {
    const index = await world([wiki('Home', { body: 'See Setup.' })]);
    const racing = new (class extends CountingDatabase {
      override async write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
        if (this.writes === 0) await index.index([wiki('Home', { body: 'Nothing.' })]);
        return super.write(steps);
      }
    })(index.test.database);
    await storeBatch(racing, indexDocument, {
      documents: [wiki('Setup')],
      edgesOf,
      watermark: { source: 'other', surface: 'wiki', before: null, after: '1', complete: true, owner: 'test' },
      now: 0,
    });
    expect(racing.writes).toBe(2);
    expect(await edges(index)).toEqual([]);
  });

  it('of another repository with the same name is none', async () => {
    const index = await world([wiki('Home', { body: 'See Setup.' })], [wiki('Setup', { repo: 'acme/lib' })]);
    expect(await edges(index)).toEqual([]);
  });
});

const PROJECT: readonly Document[] = [
  issue(1, { body: 'Came with abcdef1, abcdef12 and deadbee1; see Acme/LIB#2 and #3.' }),
  issue(2, { repo: 'Acme/Lib', body: `Fixed by acme/APP@abcdef13. ${NEIGHBOUR}` }),
  comment(1, '4', { body: 'Compare https://github.com/acme/lib/wiki/Home please.' }),
  diff(COMMIT, 'a.ts', { preface: 'Undo abcdef13\n\nCloses #1.' }),
  diff(COMMIT, 'docs/b.md'),
  diff(NEIGHBOUR, 'a.ts'),
  diff(`deadbee${'1'.repeat(33)}`, 'a.ts', { repo: 'Acme/Lib', preface: 'Also acme/app@abcdef12' }),
  doc('docs/a.md', { body: 'See [b](b.md) and #1.' }),
  wiki('Home', { body: 'Set.Up, Set and [[Up]].' }),
  wiki('Set', { body: 'Back Home.' }),
  wiki('Set.Up', { body: 'Set comes before.' }),
  wiki('Home', { repo: 'Acme/Lib', body: 'Set' }),
  release('v1', { body: 'Thanks to #1 and abcdef13.' }),
];

it('edges are the same in whatever order and batches documents came, and after some were gone for a while', async () => {
  const together = await edges(await world(PROJECT));
  expect(together.length).toBeGreaterThan(15);
  const plan = fc.record({
    order: fc.shuffledSubarray([...PROJECT], { minLength: PROJECT.length }),
    cuts: fc.array(fc.nat({ max: PROJECT.length }), { maxLength: 4 }),
    gone: fc.subarray(PROJECT.filter((document) => document.type === 'wiki_doc' || document.type === 'issue')),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ order, cuts, gone }) => {
      const bounds = [0, ...cuts.toSorted((a, b) => a - b), order.length];
      const batches = bounds.slice(1).map((end, at) => order.slice(bounds[at], end));
      const index = await world(...batches);
      expect(await edges(index)).toEqual(together);
      await index.index([], gone.map(documentKey));
      await index.index(gone);
      expect(await edges(index)).toEqual(together);
    }),
    { numRuns: 25 },
  );
});
