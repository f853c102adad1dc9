import * as z from 'zod';
import { sha256Hex } from '../core/hash.ts';
import { indexProvenance, sourceId } from '../corpus/provenance.ts';
import { PROVENANCE_COLUMNS, provenanceFields } from '../corpus/provenance-columns.ts';
import { checkpointOf } from '../engine/checkpoint.ts';
import { change, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { Failure } from '../core/failure.ts';
import { defineOperation } from '../operation/operation.ts';
import { CORPUS_RULES, type Rules, SEARCH_RULES } from './corpus-checks.ts';
import { markQuery } from './db-copy-mark.ts';
import { MEMORY_ADVICE, MEMORY_RULES } from './memory-checks.ts';

const check = z.object({
  name: z.string(),
  ok: z.boolean(),
  found: z.string().describe('What was seen.'),
  advice: z.string().optional().describe('What to run or do.'),
});
type Check = z.output<typeof check>;

export const doctor = defineOperation({
  name: 'doctor',
  title: 'Check the database',
  description:
    'Checks the integrity of the file, the schema, the full-text indexes and everything that must agree with something else, and says what to do about what it finds.',
  input: z.strictObject({}),
  output: z.object({
    ok: z.boolean(),
    checks: z.array(check),
    content_digest: z
      .string()
      .describe(
        'SHA-256 over all documents; equal for two databases that hold the same documents. Empty where they cannot be read.',
      ),
  }),
  effect: 'read',
  openWorld: false,
  faces: ['cli'],
  async handler(engine) {
    // What cannot be opened at all fails as it does everywhere; what is damaged inside is named by the checks.
    await engine.database.read([query('SELECT 1 AS opened', [], (row) => row.opened)]);
    const { digest, check: names } = await documentsCheck(engine);
    const checks = [
      await schemaCheck(engine),
      await unfinishedCopyCheck(engine),
      await problemsCheck('file', engine, INTEGRITY, () => INDEX_AGAIN),
      await problemsCheck('references', engine, DANGLING, danglingAdvice),
      ...(await countingChecks(engine, CORPUS_RULES, INDEX_AGAIN)),
      ...(await countingChecks(engine, SEARCH_RULES, REPAIR_SEGMENTS)),
      names,
      await fullTextCheck(engine, 'passages_nat'),
      await fullTextCheck(engine, 'passages_code'),
      ...(await countingChecks(engine, MEMORY_RULES, MEMORY_ADVICE)),
    ];
    return { ok: checks.every((each) => each.ok), checks, content_digest: digest };
  },
});

const REPAIR_SEGMENTS = `Run gh-rag backfill segments. ${goOn(1)}`;
const INDEX_AGAIN =
  'Index again into a new file (--db), or restore a copy. Keep this one: its feedback memory is nowhere else.';

/** A repair looks at 100 items at most, so only a small index is repaired in one run. */
function goOn(repairs: number): string {
  return `Until it says Done, go on with the command that ${repairs === 1 ? 'it' : 'each'} ends with.`;
}

function identitiesAdvice(repos: readonly string[]): string {
  const [first = '', ...others] = [...new Set(repos)];
  const more = others.length === 0 ? '' : `, and the same of ${others.join(', ')}`;
  return `Run gh-rag backfill identities -R ${first}${more}. ${goOn(1)}`;
}

async function schemaCheck(engine: Engine): Promise<Check> {
  const migrations = await engine.schema.list();
  const odd = migrations.filter((each) => each.state !== 'applied');
  if (odd.length === 0) return { name: 'schema', ok: true, found: `version ${String(migrations.length)}` };
  return {
    name: 'schema',
    ok: false,
    found: odd.map((each) => `${String(each.version)} ${each.name}: ${each.state}`).join(', '),
    advice: odd.some((each) => each.state === 'pending') ? 'Run gh-rag migrate.' : INDEX_AGAIN,
  };
}

/** What `db copy` has not finished holds only part of its source, and looks whole to everything else. */
async function unfinishedCopyCheck({ database }: Engine): Promise<Check> {
  const [marks] = await database.read([markQuery()]);
  const name = 'unfinished copies';
  if (marks.length === 0) return { name, ok: true, found: '0' };
  const advice =
    'Run the same gh-rag db copy again to finish it, or make a new copy. Write nothing to this one before.';
  return { name, ok: false, found: '1', advice };
}

/** A check that cannot even be made names what stands in its way. */
async function examined({ signal }: Engine, name: string, check: () => Promise<Check>): Promise<Check> {
  // One statement may take seconds; what a Ctrl-C meanwhile is for is the next.
  await checkpointOf(signal, () => new Failure('interrupted', 'stopped; nothing was changed'))();
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'database_unavailable') throw error;
    // A hint that says to run this very command is of no help here.
    const advice = error.hint?.includes('doctor') === false ? error.hint : INDEX_AGAIN;
    return { name, ok: false, found: error.message, advice };
  }
}

const problem = z.object({ text: z.string() });

const INTEGRITY = "SELECT integrity_check AS text FROM pragma_integrity_check(20) WHERE integrity_check <> 'ok'";
const DANGLING = `SELECT 'dangling reference in ' || "table" AS text FROM pragma_foreign_key_check LIMIT 20`;

const REPAIRED_BY = new Map([
  ['passages', 'segments'],
  ['bodies', 'segments'],
  ['edges', 'edges'],
]);

/** What is made from the bodies of documents can go, and be made again. */
function danglingAdvice(problems: readonly string[]): string {
  const repairs = problems.map((text) => REPAIRED_BY.get(text.slice(text.lastIndexOf(' ') + 1)));
  if (repairs.includes(undefined)) return INDEX_AGAIN;
  const needed = [...new Set(repairs)].map((repair) => `gh-rag backfill ${String(repair)}`);
  return `Run ${needed.join(' and ')}. ${goOn(needed.length)}`;
}

function problemsCheck(
  name: string,
  engine: Engine,
  sql: string,
  adviceOf: (problems: readonly string[]) => string,
): Promise<Check> {
  return examined(engine, name, async () => {
    const [problems] = await engine.database.read([query(sql, [], (row) => problem.parse(row).text)]);
    if (problems.length === 0) return { name, ok: true, found: 'ok' };
    return { name, ok: false, found: problems.join('; '), advice: adviceOf(problems) };
  });
}

const count = z.object({ n: z.int() });

async function countingChecks(engine: Engine, rules: Rules, advice: string): Promise<Check[]> {
  const checks: Check[] = [];
  // One by one: damage that stops one of them says nothing about the others.
  for (const [name, from] of rules) {
    checks.push(
      await examined(engine, name, async () => {
        const counting = query(`SELECT count(*) AS n FROM ${from}`, [], (row) => count.parse(row).n);
        const [[n = 0]] = await engine.database.read([counting]);
        return { name, ok: n === 0, found: String(n), ...(n > 0 && { advice }) };
      }),
    );
  }
  return checks;
}

/** FTS5's own check of its structure; it is a command written as an insert and stores nothing. */
function fullTextCheck(engine: Engine, table: 'passages_nat' | 'passages_code'): Promise<Check> {
  const name = `full-text index ${table}`;
  return examined(engine, name, async () => {
    await engine.database.write([change(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)]);
    return { name, ok: true, found: 'ok' };
  });
}

const documentRow = z.object({
  key: z.string(),
  content_hash: z.string(),
  source_id: z.string().nullable(),
  ...provenanceFields,
  repo: z.string().nullable(),
});

const DOCUMENTS = `SELECT d.key, d.content_hash, d.source_id, ${PROVENANCE_COLUMNS}
  FROM documents d LEFT JOIN repos r ON r.id = d.repo_id ORDER BY d.key`;

/**
 * Whether every document is stored under the source id that follows from it, and the SHA-256 over key and content hash
 * of all, in the order of the keys; empty where they cannot be read.
 */
async function documentsCheck(engine: Engine): Promise<{ check: Check; digest: string }> {
  const name = 'documents under a wrong source id';
  let digest = '';
  const check = await examined(engine, name, async () => {
    const [rows] = await engine.database.read([query(DOCUMENTS, [], (row) => documentRow.parse(row))]);
    digest = sha256Hex(rows.map((row) => `${row.key}\n${row.content_hash}\n`).join(''));
    const wrong = rows.filter(({ repo, source_id, ...fields }) => {
      if (repo === null) return false;
      const provenance = indexProvenance({ repo, ...fields });
      return source_id !== (provenance === undefined ? null : sourceId(provenance));
    });
    const n = wrong.length;
    const repairable = wrong.every(({ source_id: id }) => id === null);
    const advice = repairable ? identitiesAdvice(wrong.flatMap(({ repo }) => repo ?? [])) : INDEX_AGAIN;
    return { name, ok: n === 0, found: String(n), ...(n > 0 && { advice }) };
  });
  return { check, digest };
}
