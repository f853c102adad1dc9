/**
 * The database port. It thinks in round trips: one `read` or one `write` is one trip, whichever backend answers. There
 * are no interactive transactions: a caller reads what it needs, decides, and writes one batch whose guards make the
 * whole batch fail if what was read no longer holds.
 */

export type SqlValue = null | number | bigint | string | Uint8Array;

/** A row as SQLite gave it; integers beyond 2^53 are an error of the adapter, never silently rounded. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A query together with the decoder of its rows: inside the library rows have their true type. */
export interface Query<Row> {
  readonly sql: string;
  readonly args: readonly SqlValue[];
  readonly decode: (row: SqlRow) => Row;
}

/** A statement that changes something. Arguments are positional (`?`). */
export interface Change {
  readonly kind: 'change';
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

/** A condition (an SQL expression) that must hold when the batch runs, or nothing of the batch is applied. */
export interface Guard {
  readonly kind: 'guard';
  readonly name: string;
  readonly condition: string;
  readonly args: readonly SqlValue[];
}

export type WriteStep = Change | Guard;

/** Outcome of a batch: applied as a whole, or refused by the named guard. */
export type WriteOutcome = { readonly applied: true } | { readonly applied: false; readonly guard: string };

/**
 * `full`: what was acknowledged survives a loss of power. `normal`: it survives the end of the process, and a loss of
 * power can take the newest such writes back, whole ones, unless a full one followed. Cheaper by the flush to the disk.
 */
export type Durability = 'full' | 'normal';

export type Rows<Queries extends readonly Query<unknown>[]> = {
  -readonly [K in keyof Queries]: Queries[K] extends Query<infer Row> ? Row[] : never;
};

export interface Database {
  /** `local`: a file of this machine; `remote`: a server; `replica`: a local copy of a remote. */
  readonly backend: 'local' | 'remote' | 'replica';
  /** Where it is, fit for printing: never holds a credential. */
  readonly location: string;
  /**
   * Of a replica whose primary is away, or gives out less than was written to it: when the copy was last in step, in
   * milliseconds since the epoch; null where that is not known. Undefined where the answers are as new as can be.
   */
  readonly staleSince?: number | null | undefined;
  /** Runs queries in order against one snapshot. One round trip. Fails with `database_unavailable` or `database_busy`. */
  read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>>;
  /**
   * Runs steps in order in one transaction: all or nothing. One round trip. Safe to give to several callers at once.
   * Durability is `full` unless told; a backend may always give more than was asked for.
   */
  write(steps: readonly WriteStep[], durability?: Durability): Promise<WriteOutcome>;
  close(): Promise<void>;
}

/** A query whose rows pass `decode`. */
export function query<Row>(sql: string, args: readonly SqlValue[], decode: (row: SqlRow) => Row): Query<Row> {
  return { sql, args, decode };
}

/** A change step. */
export function change(sql: string, args: readonly SqlValue[] = []): Change {
  return { kind: 'change', sql, args };
}

/** A guard step: `condition` is an SQL expression that is true when the batch may be applied. */
export function guard(name: string, condition: string, args: readonly SqlValue[] = []): Guard {
  return { kind: 'guard', name, condition, args };
}
