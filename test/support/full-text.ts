import Database from 'libsql';
import { normalizeText } from '../../src/lib/core/text.ts';
import { segmentText } from '../../src/lib/indexing/segment.ts';

const COLUMNS = ['title', 'heading', 'reference', 'body'] as const;

export type Passage = Partial<Record<(typeof COLUMNS)[number], string>>;
export type IndexName = 'nat' | 'code';

/** The two full-text tables of the schema, in memory, filled as indexing fills them. */
export class FullText {
  readonly #db = new Database(':memory:');

  constructor() {
    const columns = COLUMNS.join(', ');
    const options = "content = '', contentless_delete = 1";
    this.#db.exec(`
      CREATE VIRTUAL TABLE passages_nat USING fts5 (${columns}, ${options}, tokenize = 'porter unicode61 remove_diacritics 2');
      CREATE VIRTUAL TABLE passages_code USING fts5 (${columns}, ${options}, tokenize = 'trigram');
      CREATE VIRTUAL TABLE passages_nat_vocab USING fts5vocab (passages_nat, 'row');
      CREATE VIRTUAL TABLE passages_code_vocab USING fts5vocab (passages_code, 'row');
      CREATE VIRTUAL TABLE passages_nat_tokens USING fts5vocab (passages_nat, 'instance');
      CREATE VIRTUAL TABLE passages_code_tokens USING fts5vocab (passages_code, 'instance');`);
  }

  /** Adds passages to both tables, or to some; the first has rowid 1. */
  add(passages: readonly Passage[], indexes: readonly IndexName[] = ['nat', 'code']): this {
    this.#db.exec('BEGIN');
    for (const index of indexes) {
      const insert = this.#db.prepare(
        `INSERT INTO passages_${index} (rowid, ${COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?)`,
      );
      passages.forEach((passage, at) => {
        const values = COLUMNS.map((column) => {
          const text = normalizeText(passage[column] ?? '');
          return index === 'nat' ? segmentText(text) : text;
        });
        insert.run(BigInt(at + 1), ...values);
      });
    }
    this.#db.exec('COMMIT');
    return this;
  }

  /** The rowids that an expression matches, ascending. */
  match(index: IndexName, expression: string): number[] {
    const sql = `SELECT rowid FROM passages_${index} WHERE passages_${index} MATCH ? ORDER BY rowid`;
    return this.#db
      .prepare(sql)
      .all(expression)
      .map((row) => (row as { rowid: number }).rowid);
  }

  /** In how many passages the vocabulary has a term; undefined where it has not. */
  passagesWith(index: IndexName, term: string): number | undefined {
    const row = this.#db.prepare(`SELECT doc FROM passages_${index}_vocab WHERE term = ?`).get(term);
    return row === undefined ? undefined : (row as { doc: number }).doc;
  }

  /** The tokens of one passage's body, in order. Read as blobs: a stem may end within a character. */
  tokens(index: IndexName, rowid: number): string[] {
    const sql = `SELECT CAST(term AS BLOB) AS term FROM passages_${index}_tokens WHERE doc = ? AND col = 'body' ORDER BY offset`;
    return this.#db
      .prepare(sql)
      .all(BigInt(rowid))
      .map((row) => Buffer.from((row as { term: Buffer }).term).toString('utf8'));
  }

  close(): void {
    this.#db.close();
  }
}
