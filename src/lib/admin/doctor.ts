import * as z from 'zod';
import { sha256Hex } from '../core/hash.ts';
import { DOCUMENT_TYPE_NAMES, DOCUMENT_TYPES } from '../corpus/document-types.ts';
import { change, type Query, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { Failure } from '../core/failure.ts';
import { defineOperation } from '../operation/operation.ts';

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
      .describe('SHA-256 over all documents; equal for two databases that hold the same documents.'),
  }),
  effect: 'read',
  openWorld: false,
  faces: ['cli'],
  async handler(engine) {
    const checks = [
      await schemaCheck(engine),
      await fileCheck(engine),
      ...(await agreementChecks(engine)),
      await fullTextCheck(engine, 'passages_nat'),
      await fullTextCheck(engine, 'passages_code'),
    ];
    return { ok: checks.every((each) => each.ok), checks, content_digest: await contentDigest(engine) };
  },
});

const INDEX_AGAIN = 'Index again into a new database file (--db), then replace this one.';

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

const text = z.object({ text: z.string() });

async function fileCheck(engine: Engine): Promise<Check> {
  const [rows, keys] = await engine.database.read([
    query('SELECT integrity_check AS text FROM pragma_integrity_check(20)', [], (row) => text.parse(row)),
    query(`SELECT "table" AS text FROM pragma_foreign_key_check LIMIT 20`, [], (row) => text.parse(row)),
  ]);
  const problems = [
    ...rows.filter((row) => row.text !== 'ok').map((row) => row.text),
    ...keys.map((row) => `dangling reference in ${row.text}`),
  ];
  if (problems.length === 0) return { name: 'file', ok: true, found: 'ok' };
  return { name: 'file', ok: false, found: problems.join('; '), advice: INDEX_AGAIN };
}

const count = z.object({ n: z.int() });

function counting(sql: string): Query<number> {
  return query(`SELECT count(*) AS n FROM ${sql}`, [], (row) => count.parse(row).n);
}

/** Everything that says the same thing twice must agree. */
async function agreementChecks(engine: Engine): Promise<Check[]> {
  const typesOf = (tokenizer: 'nat' | 'code'): string =>
    DOCUMENT_TYPE_NAMES.filter((name) => DOCUMENT_TYPES[name].tokenizer === tokenizer)
      .map((name) => `'${name}'`)
      .join(', ');
  const unsearchable = (table: string, types: string): string =>
    `passages p JOIN documents d ON d.id = p.document_id WHERE d.type IN (${types}) AND p.id NOT IN (SELECT id FROM ${table}_docsize)`;
  const orphaned = (table: string): string => `${table}_docsize WHERE id NOT IN (SELECT id FROM passages)`;
  const rules = [
    ['documents without a body', 'documents WHERE id NOT IN (SELECT document_id FROM bodies)'],
    ['bodies without a document', 'bodies WHERE document_id NOT IN (SELECT id FROM documents)'],
    ['documents without a passage', 'documents WHERE id NOT IN (SELECT document_id FROM passages)'],
    ['passages without a document', 'passages WHERE document_id NOT IN (SELECT id FROM documents)'],
    ['prose passages that are not searchable', unsearchable('passages_nat', typesOf('nat'))],
    ['code passages that are not searchable', unsearchable('passages_code', typesOf('code'))],
    ['prose entries without a passage', orphaned('passages_nat')],
    ['code entries without a passage', orphaned('passages_code')],
  ] as const;
  const counts = await engine.database.read(rules.map(([, sql]) => counting(sql)));
  return rules.map(([name], at) => {
    const n = counts[at]?.[0] ?? 0;
    return { name, ok: n === 0, found: String(n), ...(n > 0 && { advice: INDEX_AGAIN }) };
  });
}

/** FTS5's own check of its structure; it is a command written as an insert and stores nothing. */
async function fullTextCheck(engine: Engine, table: 'passages_nat' | 'passages_code'): Promise<Check> {
  const name = `full-text index ${table}`;
  try {
    await engine.database.write([change(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)]);
    return { name, ok: true, found: 'ok' };
  } catch (error) {
    if (error instanceof Failure && error.code === 'database_busy') throw error;
    return { name, ok: false, found: 'damaged', advice: INDEX_AGAIN };
  }
}

const digestRow = z.object({ key: z.string(), content_hash: z.string() });

/** SHA-256 over key and content hash of every document, in the order of the keys. */
async function contentDigest(engine: Engine): Promise<string> {
  const [rows] = await engine.database.read([
    query('SELECT key, content_hash FROM documents ORDER BY key', [], (row) => digestRow.parse(row)),
  ]);
  return sha256Hex(rows.map((row) => `${row.key}\n${row.content_hash}\n`).join(''));
}
