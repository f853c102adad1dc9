import * as z from 'zod';
import { type Query, query } from '../engine/database.ts';

/** A table whose rows go from one database to another as they are. */
export interface CopiedTable {
  readonly name: string;
  /** Columns of the key, in which order the rows are read. */
  readonly key: readonly [string, ...string[]];
  /** Rows of other tables that a row needs, by the column that names them. */
  readonly parents?: Readonly<Record<string, { readonly table: string; readonly key: string }>>;
  /** Which rows, where not all. */
  readonly where?: string;
  /** Columns that tell of this one database only. */
  readonly omit?: readonly string[];
}

const PRINCIPAL = { principal_id: { table: 'principals', key: 'id' } };
const TRACE = { trace_seq: { table: 'traces', key: 'seq' } };
const DOCUMENT = { document_id: { table: 'documents', key: 'id' } };

const EMBEDDER = { embedder_id: { table: 'embedders', key: 'id' } };

/** Made from the vectors as they are stored. */
const SIGNATURES: CopiedTable = { name: 'passage_signatures', key: ['embedder_id', 'passage_id'] };

/** `source` of the watermark that tells how far a copy came. */
export const COPY_SOURCE = 'db copy';

/** One row, made with the schema: it is replaced, so that the local principal and cursors go on. */
export const INSTALLATIONS: CopiedTable = { name: 'installations', key: ['id'] };

export const DOCUMENTS: CopiedTable = {
  name: 'documents',
  key: ['id'],
  parents: { repo_id: { table: 'repos', key: 'id' } },
};
export const BODIES: CopiedTable = { name: 'bodies', key: ['document_id'], parents: DOCUMENT };
export const PASSAGES: CopiedTable = { name: 'passages', key: ['document_id', 'id'], parents: DOCUMENT };

/** What is copied, parents first. Documents bring their bodies, their passages and their full-text rows with them. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'repos', key: ['id'] },
  DOCUMENTS,
  { name: 'edges', key: ['document_id', 'src', 'stated', 'kind'], parents: DOCUMENT },
  {
    name: 'watermarks',
    key: ['source', 'surface'],
    where: `t.source <> '${COPY_SOURCE}'`,
    omit: ['owner', 'leased_until'],
  },
  { name: 'left_out', key: ['key'] },
  { name: 'remote_threads', key: ['repo', 'number'] },
  { name: 'embedders', key: ['id'] },
  { name: 'lsa_terms', key: ['embedder_id', 'term'], parents: EMBEDDER },
  {
    name: 'passage_vectors',
    key: ['embedder_id', 'passage_id'],
    parents: { ...EMBEDDER, passage_id: { table: 'passages', key: 'id' } },
  },
  { name: 'principals', key: ['id'] },
  { name: 'traces', key: ['seq'], parents: PRINCIPAL },
  { name: 'trace_sources', key: ['trace_seq', 'source_id'], parents: TRACE },
  { name: 'activations', key: ['principal_id', 'source_id'], parents: PRINCIPAL },
  { name: 'receipts', key: ['seq'], parents: { ...PRINCIPAL, ...TRACE } },
  { name: 'credits', key: ['seq'], parents: { ...PRINCIPAL, ...TRACE } },
];

/** Tables of FTS5 with the number of tokens of each row and column; `origin` depends on how rows came in. */
const docsize = (table: string): CopiedTable => ({ name: `${table}_docsize`, key: ['id'], omit: ['origin'] });

export const FULL_TEXT_TABLES = ['passages_nat', 'passages_code'] as const;

/** What must be equal in the end, by the name that a person is told. */
export const COMPARED_TABLES: ReadonlyMap<string, CopiedTable> = new Map([
  ...[
    INSTALLATIONS,
    ...COPIED_TABLES.flatMap((table) => (table === DOCUMENTS ? [DOCUMENTS, BODIES, PASSAGES] : [table])),
    SIGNATURES,
  ].map((table) => [table.name, table] as const),
  ...FULL_TEXT_TABLES.map((table) => [table, docsize(table)] as const),
]);

/** What a schema has beside: its own ledger, and the ids of writes that arrived over a line. */
export const OWN_TABLES = ['schema_migrations', 'applied_writes'] as const;

export interface Column {
  readonly name: string;
  /** As it is declared: INTEGER, REAL, TEXT, BLOB. */
  readonly type: string;
}

const columnRow = z.object({ table: z.string(), name: z.string(), type: z.string() });

/** Columns of the tables that are compared, in their order. */
export function columnsQuery(): Query<z.output<typeof columnRow>> {
  const names = [...COMPARED_TABLES.values()].map(({ name }) => name);
  return query(
    `SELECT t.value AS "table", p.name, p.type FROM json_each(?) AS t, pragma_table_info(t.value) AS p ORDER BY t.key, p.cid`,
    [JSON.stringify(names)],
    (row) => columnRow.parse(row),
  );
}

/** The columns of a table that count, from the rows of {@link columnsQuery}. */
export function columnsOf(table: CopiedTable, rows: readonly z.output<typeof columnRow>[]): Column[] {
  return rows.filter((row) => row.table === table.name && table.omit?.includes(row.name) !== true);
}

const countRow = z.record(z.string(), z.int());

/** How many rows there are to copy and to compare, by the name of the table. */
export function countsQuery(): Query<Readonly<Record<string, number>>> {
  const counts = [...COMPARED_TABLES].map(
    ([name, table]) => `(SELECT count(*) FROM ${table.name} AS t WHERE ${table.where ?? 'true'}) AS ${name}`,
  );
  return query(`SELECT ${counts.join(', ')}`, [], (row) => countRow.parse(row));
}

/** SQL that is true where nothing at all was stored yet. */
export const NOTHING_STORED = [...COMPARED_TABLES.values()]
  .filter((table) => table !== INSTALLATIONS)
  .map(({ name }) => `NOT EXISTS (SELECT 1 FROM ${name})`)
  .join(' AND ');
