import * as z from 'zod';

/** The part of Hrana over HTTP (versions 2 and 3, JSON) that arrives here. */

const value = z.discriminatedUnion('type', [
  z.object({ type: z.literal('null') }),
  z.object({ type: z.literal('integer'), value: z.string().regex(/^-?\d+$/) }),
  z.object({ type: z.literal('float'), value: z.number() }),
  z.object({ type: z.literal('text'), value: z.string() }),
  z.object({ type: z.literal('blob'), base64: z.string() }),
]);

const sqlText = { sql: z.string().nullish(), sql_id: z.int().nullish() };

const stmt = z.object({
  ...sqlText,
  args: z.array(value).default([]),
  named_args: z.array(z.object({ name: z.string(), value })).default([]),
  want_rows: z.boolean().nullish(),
});

const step = z.int().nonnegative();

const condition = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ok'), step }),
  z.object({ type: z.literal('error'), step }),
  z.object({
    type: z.literal('not'),
    get cond(): z.ZodType<Condition> {
      return condition;
    },
  }),
  z.object({
    type: z.enum(['and', 'or']),
    get conds(): z.ZodType<Condition[]> {
      return z.array(condition);
    },
  }),
  z.object({ type: z.literal('is_autocommit') }),
]);

const batch = z.object({ steps: z.array(z.object({ condition: condition.nullish(), stmt })) });

const request = z.discriminatedUnion('type', [
  z.object({ type: z.literal('close') }),
  z.object({ type: z.literal('execute'), stmt }),
  z.object({ type: z.literal('batch'), batch }),
  z.object({ type: z.literal('sequence'), ...sqlText }),
  z.object({ type: z.literal('describe'), ...sqlText }),
  z.object({ type: z.literal('store_sql'), sql_id: z.int(), sql: z.string() }),
  z.object({ type: z.literal('close_sql'), sql_id: z.int() }),
  z.object({ type: z.literal('get_autocommit') }),
]);

export const pipelineBody = z.object({ baton: z.string().nullish(), requests: z.array(request) });
export const cursorBody = z.object({ baton: z.string().nullish(), batch });

export type WireValue = z.infer<typeof value>;
export type WireStmt = z.infer<typeof stmt>;
export type WireSql = Pick<WireStmt, 'sql' | 'sql_id'>;
export type WireBatch = z.infer<typeof batch>;
export type WireRequest = z.infer<typeof request>;
export type Condition =
  | { type: 'ok' | 'error'; step: number }
  | { type: 'not'; cond: Condition }
  | { type: 'and' | 'or'; conds: Condition[] }
  | { type: 'is_autocommit' };

export interface WireError {
  readonly message: string;
  readonly code: string;
}

export interface WireColumn {
  readonly name: string;
  readonly decltype: string | null;
}

export interface StmtResult {
  readonly cols: readonly WireColumn[];
  readonly rows: readonly (readonly WireValue[])[];
  readonly affected_row_count: number;
  readonly last_insert_rowid: string | null;
}

export interface BatchResult {
  readonly step_results: readonly (StmtResult | null)[];
  readonly step_errors: readonly (WireError | null)[];
}

/** Answered as the result of one request or one step; the stream lives on. */
export class RequestError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Answered with status 400 and plain text; the stream is gone. */
export class ProtocolError extends Error {}

/** The answer to a baton whose stream was idle for too long: status 500. */
export const STREAM_EXPIRED: WireError = {
  message: 'The stream has expired due to inactivity',
  code: 'STREAM_EXPIRED',
};
