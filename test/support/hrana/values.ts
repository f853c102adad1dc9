import type { SqlStatement } from './sql.ts';
import { RequestError, type WireError, type WireStmt, type WireValue } from './protocol.ts';

type Bound = string | bigint | number | Buffer | null;

/** Wire values as libsql binds them: a number arrives as REAL, a bigint as INTEGER. */
function toSqlite(value: WireValue): Bound {
  switch (value.type) {
    case 'null':
      return null;
    case 'integer':
      return BigInt(value.value);
    case 'float':
    case 'text':
      return value.value;
    case 'blob':
      return Buffer.from(value.base64, 'base64');
  }
}

/** A value that libsql read with safe integers. */
export function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return { type: 'null' };
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) };
  if (typeof value === 'number') return { type: 'float', value };
  if (typeof value === 'string') return { type: 'text', value };
  if (value instanceof Uint8Array) {
    return { type: 'blob', base64: Buffer.from(value).toString('base64').replace(/=+$/, '') };
  }
  throw new Error(`not a value of SQLite: ${typeof value}`);
}

/** The arguments of a statement, by place or by name. Throws when one is missing, or one too many is given. */
export function argumentsOf(statement: SqlStatement, stmt: WireStmt): Bound[] | Record<string, Bound> {
  const { parameters } = statement;
  const invalid = (why: string): never => {
    throw new RequestError(`Arguments do not match SQL parameters: ${why}`, 'ARGS_INVALID');
  };
  if (stmt.named_args.length === 0) {
    const expected = String(parameters.length);
    if (stmt.args.length > parameters.length) {
      invalid(`too many parameters, expected ${expected} found ${String(stmt.args.length)}`);
    }
    if (stmt.args.length < parameters.length) {
      invalid(`value for parameter ${parameters[stmt.args.length] ?? String(stmt.args.length + 1)} not found`);
    }
    return stmt.args.map(toSqlite);
  }
  if (stmt.args.length > 0) {
    throw new RequestError(
      'Specifying both positional and named arguments is not supported',
      'ARGS_BOTH_POSITIONAL_AND_NAMED',
    );
  }
  const bare = (name: string): string => name.replace(/^[:@$]/, '');
  const named = Object.fromEntries(stmt.named_args.map(({ name, value }) => [bare(name), toSqlite(value)]));
  for (const [at, name] of parameters.entries()) {
    if (name === null || !(bare(name) in named)) invalid(`value for parameter ${name ?? String(at + 1)} not found`);
  }
  return named;
}

const SYNTAX = /syntax error|incomplete input|unrecognized token/;

/** Whether SQLite found that the text is no SQL; a server finds that before it runs anything of a batch. */
export function isSyntaxError(error: unknown): error is Error {
  return error instanceof Error && SYNTAX.test(error.message);
}

/** An error of SQLite as the server words it: base codes only. */
export function toWireError(error: unknown, sql: string): WireError {
  if (error instanceof RequestError) return { message: error.message, code: error.code };
  if (!isSqliteError(error)) throw error;
  const { message, code } = error;
  if (isSyntaxError(error)) return { message: `SQL string could not be parsed: ${message}`, code: 'SQL_PARSE_ERROR' };
  const missing = /^no such column: (\S+)/.exec(message)?.[1];
  if (missing !== undefined) {
    const offset = Math.max(0, sql.indexOf(missing));
    return { message: `SQL input error: ${message} (at offset ${String(offset)})`, code: 'SQL_INPUT_ERROR' };
  }
  const base = code.split('_').slice(0, 2).join('_');
  return { message: `SQLite error: ${message}`, code: base === 'SQLITE_ERROR' ? 'SQLITE_UNKNOWN' : base };
}

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE');
}
