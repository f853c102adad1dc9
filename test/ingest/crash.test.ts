import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '../../src/lib/engine/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { endOf, Program } from '../support/program.ts';
import { AUTHOR, temporaryDirectory, TestRepository } from '../support/repository.ts';
import { fileDigest, withDatabase } from '../support/test-index.ts';

/** The built program, killed, interrupted and run twice at once, on real files. */

const COMMITS = 100;
const RECORDS = 1200;
const THREADS = 40;
const KILLS = 4;

let program: Program;
let repository: TestRepository;
let folder: string;
let exported: string;
/** What an undisturbed run gives, and how many documents it stores. */
let undisturbed: { digest: string; documents: number };

beforeAll(async () => {
  folder = temporaryDirectory();
  exported = join(folder, 'export.jsonl');
  writeFileSync(exported, records(RECORDS));
  repository = TestRepository.init('--bare');
  repository.gitWith({ input: history(COMMITS) }, 'fast-import', '--quiet');
  program = await Program.build();
  const file = databaseFile();
  expect(await program.run(...indexing(file))).toMatchObject({ code: 0 });
  const { documents } = await withDatabase(file, stored);
  undisturbed = { documents: Number(documents), digest: await fileDigest(file) };
});

afterAll(() => {
  program.remove();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

function records(count: number): string {
  const line = (n: number): string =>
    JSON.stringify({
      repo: 'acme/app',
      // Few threads: the model of them is trained in no time, and the runs are killed while it is, too.
      ...(n <= THREADS
        ? { type: 'issue', number: n, title: `Issue ${String(n)}` }
        : { type: 'issue_comment', number: (n % THREADS) + 1, id: n }),
      body: `The sync of part ${String(n % 97)} stalls after an hour. See #${String((n * 7) % count)}.`,
      updated_at: '2024-05-01T00:00:00Z',
    });
  return Array.from({ length: count }, (_, n) => `${line(n + 1)}\n`).join('');
}

function history(count: number): string {
  const put = (path: string, text: string): string => `M 100644 inline ${path}\ndata ${String(text.length)}\n${text}\n`;
  return Array.from({ length: count }, (_, n) => {
    const name = String(n % 40);
    const value = String(n);
    return [
      `commit refs/heads/main\ncommitter ${AUTHOR} <ada@example.org> ${String(1_700_000_000 + n * 60)} +0000\n`,
      `data 9\nchange it\n`,
      put(`src/part-${name}.ts`, `export const part${name} = ${value};\n`),
      put(`src/other-${value}.ts`, `export const other${value} = ${value};\n`),
      put(`docs/part-${value}.md`, `# Part ${value}\n\nIt is number ${value}.\n`),
    ].join('');
  }).join('');
}

let databases = 0;
function databaseFile(): string {
  databases += 1;
  return join(folder, `${String(databases)}.db`);
}

const indexing = (file: string, ...targets: string[]): string[] => [
  'index',
  ...(targets.length === 0 ? [exported, repository.path] : targets),
  '--repo',
  'acme/app',
  '--db',
  file,
];

/** How many documents there are, and how many lines of the export the watermark says are stored, at one moment. */
async function stored({ database }: TestDatabase): Promise<{ documents: unknown; lines: unknown }> {
  const [[row]] = await database.read([
    query(
      `SELECT (SELECT count(*) FROM documents) AS documents,
         coalesce((SELECT value ->> 'lines' FROM watermarks WHERE source LIKE 'export:%'), 0) AS lines,
         (SELECT count(*) FROM bodies) - (SELECT count(*) FROM documents) AS unequal`,
      [],
      (each) => ({ documents: each.documents, lines: each.lines, unequal: each.unequal }),
    ),
  ]);
  if (row === undefined || row.unequal !== 0) throw new Error('documents without bodies were seen');
  return row;
}

describe('a run of the built program', () => {
  it('that is killed at any moment leaves a sound index, and the next one ends where an undisturbed one does', async () => {
    let hits = 0;
    for (let kill = 0; kill < KILLS; ) {
      const file = databaseFile();
      for (let ended = false; !ended; ) {
        const child = program.start(...indexing(file));
        const end = endOf(child);
        if (kill < KILLS) {
          // At any moment of a part of the run, so that it is hit on a slow machine and on a fast one.
          const until = ((kill + Math.random()) / KILLS) * undisturbed.documents;
          await withDatabase(file, async (test) => {
            while (child.exitCode === null && Number((await stored(test)).documents) < until) await delay(2);
          });
          child.kill('SIGKILL');
          kill += 1;
        }
        const { code, signal } = await end;
        if (signal === 'SIGKILL') hits += 1;
        else expect(code).toBe(0);
        ended = code === 0;
        expect(await fileDigest(file)).toEqual(ended ? undisturbed.digest : expect.any(String));
      }
    }
    expect(hits).toBeGreaterThan(KILLS / 4);
  }, 180_000);

  it('that is interrupted says how to go on, and the next one does', async () => {
    const file = databaseFile();
    const child = program.start(...indexing(file));
    const end = endOf(child);
    await withDatabase(file, async (test) => {
      while (child.exitCode === null && (await stored(test)).documents === 0) await delay(5);
    });
    child.kill('SIGINT');
    const { code, out, err } = await end;
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toMatch(/^error: .+\nhint: Run the same command again to go on/m);
    await fileDigest(file);
    expect(await program.run(...indexing(file))).toMatchObject({ code: 0 });
    expect(await fileDigest(file)).toBe(undisturbed.digest);
  });

  it.each(['an export', 'a repository'])('over %s, two at once, ends well or says that it is busy', async (what) => {
    const file = databaseFile();
    const target = what === 'an export' ? exported : repository.path;
    const both = [program.start(...indexing(file, target)), program.start(...indexing(file, target))];
    const ends = Promise.all(both.map(endOf));
    const seen = await withDatabase(file, async (test) => {
      const moments = [];
      while (both.some((child) => child.exitCode === null)) {
        moments.push(await stored(test));
        await delay(2);
      }
      return moments;
    });
    for (const { code, err } of await ends) {
      expect([0, 5]).toContain(code);
      if (code === 5) expect(err).toMatch(/^error: another process is /m);
    }
    // Each record is one document, so a reader that saw half of a batch would have seen them differ.
    if (what === 'an export') expect(seen.filter(({ documents, lines }) => documents !== lines)).toEqual([]);
    expect(seen.length).toBeGreaterThan(10);
    await fileDigest(file);
    expect(await program.run(...indexing(file))).toMatchObject({ code: 0 });
    expect(await fileDigest(file)).toBe(undisturbed.digest);
  });
});
