import {
  type BatchResult,
  type Condition,
  ProtocolError,
  RequestError,
  type StmtResult,
  type WireBatch,
  type WireError,
  type WireRequest,
  type WireSql,
  type WireStmt,
} from './protocol.ts';
import type { Session } from './session.ts';
import { parseSql, type SqlStatement } from './sql.ts';
import { isSyntaxError, toWireError } from './values.ts';

const MOST_STORED_SQLS = 50;
const LONGEST_STORED_SQL = 5000;

/** What a request needs of its stream. */
export interface RequestStream {
  readonly session: Session;
  /** Texts kept by the client's number. */
  readonly sqls: Map<number, string>;
  readonly version: 2 | 3;
}

/** Serves one request of a pipeline, all but `close`, and gives its response. */
export async function serve(stream: RequestStream, request: Exclude<WireRequest, { type: 'close' }>): Promise<object> {
  const { session, sqls } = stream;
  switch (request.type) {
    case 'execute': {
      const statement = oneStatement(stream, request.stmt);
      return { type: 'execute', result: await attempt(stream, statement, request.stmt) };
    }
    case 'batch':
      return { type: 'batch', result: await runBatch(stream, request.batch) };
    case 'sequence':
      for (const statement of checked(stream, textOf(stream, request))) {
        await attempt(stream, statement, { args: [], named_args: [] });
      }
      return { type: 'sequence' };
    case 'describe': {
      const { sql, kind, parameters, explains } = oneStatement(stream, request);
      const cols = columns(session, sql);
      const params = parameters.map((name) => ({ name }));
      return { type: 'describe', result: { params, cols, is_explain: explains, is_readonly: kind !== 'write' } };
    }
    case 'store_sql':
      if (sqls.has(request.sql_id)) throw new ProtocolError(`SQL text ${String(request.sql_id)} already exists`);
      if (sqls.size >= MOST_STORED_SQLS) {
        const count = String(sqls.size);
        throw new RequestError(
          `The server already stores ${count} SQL texts, it cannot store more`,
          'SQL_STORE_TOO_MANY',
        );
      }
      if (request.sql.length > LONGEST_STORED_SQL) {
        throw new RequestError('The statement is too large to be stored', 'SQL_STORE_TOO_LARGE');
      }
      sqls.set(request.sql_id, request.sql);
      return { type: 'store_sql' };
    case 'close_sql':
      sqls.delete(request.sql_id);
      return { type: 'close_sql' };
    case 'get_autocommit':
      needsVersion3(stream, 'The `get_autocommit` request');
      return { type: 'get_autocommit', is_autocommit: !session.inTransaction };
  }
}

/** Runs a batch: a step that fails is an error of its own, a text that is no SQL fails the whole before it begins. */
export async function runBatch(stream: RequestStream, batch: WireBatch): Promise<BatchResult> {
  const statements = batch.steps.map(({ stmt }) => oneStatement(stream, stmt));
  for (const [at, { condition }] of batch.steps.entries()) {
    if (condition !== null && condition !== undefined) checkCondition(stream, condition, at);
  }
  const results: (StmtResult | null)[] = batch.steps.map(() => null);
  const errors: (WireError | null)[] = batch.steps.map(() => null);
  for (const [at, { stmt, condition }] of batch.steps.entries()) {
    const statement = statements[at];
    if (statement === undefined || !holds(condition, results, stream)) continue;
    try {
      results[at] = await stream.session.execute(statement, stmt);
    } catch (error) {
      errors[at] = toWireError(error, statement.sql);
    }
  }
  return { step_results: results, step_errors: errors };
}

async function attempt({ session }: RequestStream, statement: SqlStatement, stmt: WireStmt): Promise<StmtResult> {
  try {
    return await session.execute(statement, stmt);
  } catch (error) {
    const { message, code } = toWireError(error, statement.sql);
    throw new RequestError(message, code);
  }
}

function columns(session: Session, sql: string): object[] {
  try {
    return session.columns(sql);
  } catch (error) {
    const { message, code } = toWireError(error, sql);
    throw new RequestError(message, code);
  }
}

function textOf({ sqls }: RequestStream, { sql, sql_id: id }: WireSql): string {
  if (typeof sql === 'string' && typeof id === 'number') {
    throw new ProtocolError('Either `sql` or `sql_id` are required, but not both');
  }
  if (typeof sql === 'string') return sql;
  if (typeof id !== 'number') throw new ProtocolError('Either `sql` or `sql_id` are required');
  const stored = sqls.get(id);
  if (stored === undefined) throw new ProtocolError(`SQL text ${String(id)} not found`);
  return stored;
}

function oneStatement(stream: RequestStream, text: WireSql): SqlStatement {
  const [statement, second] = checked(stream, textOf(stream, text));
  if (statement === undefined) throw new RequestError('SQL string does not contain any statement', 'SQL_NO_STATEMENT');
  if (second !== undefined) {
    throw new RequestError('SQL string contains more than one statement', 'SQL_MANY_STATEMENTS');
  }
  return statement;
}

/** What {@link checked} found before; whether a text is SQL depends on no schema. */
const known = new Map<string, readonly SqlStatement[]>();
const MOST_KNOWN = 1000;

/** The statements of a text that is SQL and that a server takes. */
function checked({ session }: RequestStream, text: string): readonly SqlStatement[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const statements = parseSql(text);
  for (const { sql, kind } of statements) {
    if (kind === 'unsupported') {
      throw new RequestError(`SQL string could not be parsed: unsupported statement: ${sql}`, 'SQL_PARSE_ERROR');
    }
    try {
      session.columns(sql);
    } catch (error) {
      // Any other error may be gone when the statement's turn comes, such as that of a table made before it.
      if (isSyntaxError(error)) {
        throw new RequestError(`SQL string could not be parsed: ${error.message}`, 'SQL_PARSE_ERROR');
      }
    }
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, statements);
  return statements;
}

function checkCondition(stream: RequestStream, condition: Condition, at: number): void {
  switch (condition.type) {
    case 'ok':
    case 'error':
      if (condition.step >= at) throw new ProtocolError('Invalid reference to step in a batch condition');
      return;
    case 'not':
      checkCondition(stream, condition.cond, at);
      return;
    case 'and':
    case 'or':
      for (const inner of condition.conds) checkCondition(stream, inner, at);
      return;
    case 'is_autocommit':
      needsVersion3(stream, 'BatchCond of type `is_autocommit`');
  }
}

/** A step that was skipped counts as failed, as on a real server. */
function holds(
  condition: Condition | null | undefined,
  results: readonly (StmtResult | null)[],
  stream: RequestStream,
): boolean {
  if (condition === null || condition === undefined) return true;
  switch (condition.type) {
    case 'ok':
      return results[condition.step] !== null;
    case 'error':
      return results[condition.step] === null;
    case 'not':
      return !holds(condition.cond, results, stream);
    case 'and':
      return condition.conds.every((inner) => holds(inner, results, stream));
    case 'or':
      return condition.conds.some((inner) => holds(inner, results, stream));
    case 'is_autocommit':
      return !stream.session.inTransaction;
  }
}

function needsVersion3({ version }: RequestStream, what: string): void {
  if (version < 3) throw new ProtocolError(`${what} is only supported in protocol version hrana3 and higher`);
}
