import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type Answer, json, plain, refusal, send } from './answers.ts';
import { batonOf, type Call, callOf, pathOf, type SqlCall, typesOf } from './calls.ts';
import { type Fault, type FaultKind, type FaultPlan, Faults } from './faults.ts';
import { cursorBody, pipelineBody, ProtocolError, RequestError, STREAM_EXPIRED, type WireRequest } from './protocol.ts';
import { NO_NEWS, Replication } from './replication.ts';
import { runBatch, serve } from './requests.ts';
import { type Stream, StreamExpired, type StreamOptions, Streams } from './streams.ts';

export interface ServerOptions extends StreamOptions {
  readonly port: number;
  readonly token: string;
  readonly readOnlyToken: string;
}

/** What one request with SQL did. */
export interface RequestRecord {
  readonly endpoint: 'pipeline' | 'cursor';
  /** Of the stream requests in it; a cursor is one batch. */
  readonly types: readonly string[];
  /** That ran, or were refused; BEGIN and COMMIT among them. */
  statements: number;
  readonly fault: FaultKind | null;
  /** HTTP status of the answer, sent or not; null when there was none. */
  status: number | null;
}

/** A libSQL server over HTTP for tests: Hrana pipelines and cursors in JSON, and the endpoints of embedded replicas. */
export class HranaServer {
  readonly #options: ServerOptions;
  readonly #replication: Replication;
  readonly #streams: Streams;
  readonly #faults = new Faults();
  readonly #log: RequestRecord[] = [];
  readonly #http = createServer((request, response) => {
    void this.#handle(request, response);
  });

  constructor(options: ServerOptions) {
    this.#options = options;
    // First: nothing has opened the file yet.
    this.#replication = new Replication(options.file);
    this.#streams = new Streams(options);
    this.#http.once('close', () => {
      this.#replication.close();
    });
    this.#http.keepAliveTimeout = 60_000;
  }

  /** Listens on the loopback address and gives the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#options.port, '127.0.0.1', () => {
        const address = this.#http.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  get log(): readonly RequestRecord[] {
    return this.#log;
  }

  forget(): void {
    this.#log.length = 0;
  }

  fault(plan: FaultPlan): void {
    this.#faults.plan(plan);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const call = await callOf(request);
      const fault = this.#faultOf(call);
      const record = this.#record(call, fault);
      if (fault.latencyMs > 0) await delay(fault.latencyMs);
      const answer = (await this.#answerFault(fault, call, request)) ?? (await this.#answer(call, request, record));
      if (answer === 'nothing') return;
      if (record !== null) record.status = answer.status;
      send(answer, fault.kind, request, response);
    } catch (error) {
      // Not expected: a defect of this server, which must not look like one of the client.
      process.stderr.write(`hrana test server: ${error instanceof Error ? String(error.stack) : String(error)}\n`);
      if (!response.headersSent) response.writeHead(500).end();
    }
  }

  #record(call: Call, { kind }: Fault): RequestRecord | null {
    if (call.endpoint === 'other') return null;
    const types = call.endpoint === 'cursor' ? ['batch'] : typesOf(call.body);
    const record = { endpoint: call.endpoint, types, statements: 0, fault: kind, status: null };
    this.#log.push(record);
    return record;
  }

  #faultOf(call: Call): Fault {
    if (call.endpoint === 'pipeline' && typesOf(call.body).every((type) => type === 'close')) {
      return { kind: null, latencyMs: 0 };
    }
    return this.#faults.take(call.endpoint === 'other' ? 'replica' : 'sql');
  }

  /** What a fault answers in place of the request; null when the request is to run. */
  async #answerFault({ kind }: Fault, call: Call, request: IncomingMessage): Promise<Answer | 'nothing' | null> {
    if (kind === null) return null;
    if (kind === 'dropRequest') {
      request.socket.destroy();
      return 'nothing';
    }
    if (kind === 'hang') {
      if (!request.socket.destroyed) await new Promise((resolve) => request.socket.once('close', resolve));
      return 'nothing';
    }
    if (kind === 'noNews') return pathOf(request).startsWith('/sync/') ? json(NO_NEWS.status, NO_NEWS.body) : null;
    if (kind === 'expiredStream') {
      const baton = call.endpoint === 'other' ? null : batonOf(call.body);
      if (baton !== null) this.#streams.expire(baton);
      return json(500, STREAM_EXPIRED);
    }
    const status = /^status(\d+)$/.exec(kind)?.[1];
    return status === undefined ? null : refusal(Number(status));
  }

  async #answer(call: Call, request: IncomingMessage, record: RequestRecord | null): Promise<Answer> {
    const path = pathOf(request);
    if (path === '/health') return plain(200, 'OK');
    if (path === '/v2' || path === '/v3') return plain(200, 'Hello, this is HTTP API (Hrana over HTTP)');
    const rights = this.#rights(request.headers.authorization);
    if (rights === null) return refusal(401);
    if (call.endpoint === 'other') {
      const found = request.method === 'GET' ? this.#replication.answer(path) : null;
      if (found === null) return plain(404, 'Not Found');
      if (!Buffer.isBuffer(found.body)) return json(found.status, found.body);
      return { status: found.status, type: 'application/octet-stream', body: found.body };
    }
    try {
      return await this.#sql(call, rights === 'read', record);
    } catch (error) {
      if (error instanceof StreamExpired) return json(500, STREAM_EXPIRED);
      if (error instanceof ProtocolError) return plain(400, error.message);
      if (error instanceof z.ZodError) {
        return plain(400, `Cannot deserialize client message from JSON: ${z.prettifyError(error)}`);
      }
      throw error;
    }
  }

  async #sql(call: SqlCall, readOnly: boolean, record: RequestRecord | null): Promise<Answer> {
    const run = call.endpoint === 'pipeline' ? this.#pipeline(call.body) : this.#cursor(call.body);
    const stream = this.#streams.acquire(batonOf(call.body), readOnly);
    const before = stream.session.executed;
    try {
      return await run(stream, call.version);
    } catch (error) {
      this.#streams.close(stream);
      throw error;
    } finally {
      if (record !== null) record.statements = stream.session.executed - before;
    }
  }

  #rights(authorization: string | undefined): 'write' | 'read' | null {
    if (authorization === `Bearer ${this.#options.token}`) return 'write';
    return authorization === `Bearer ${this.#options.readOnlyToken}` ? 'read' : null;
  }

  #pipeline(body: unknown): (stream: Stream, version: 2 | 3) => Promise<Answer> {
    const { requests } = pipelineBody.parse(body);
    return async (stream, version) => {
      const results: object[] = [];
      for (const request of requests) results.push(await this.#result(stream, version, request));
      return json(200, { baton: this.#streams.release(stream), base_url: null, results });
    };
  }

  async #result(stream: Stream, version: 2 | 3, request: WireRequest): Promise<object> {
    if (request.type === 'close') {
      this.#streams.close(stream);
      return { type: 'ok', response: { type: 'close' } };
    }
    if (stream.closed) throw new ProtocolError('Stream for this baton was closed');
    try {
      const response = await serve({ session: stream.session, sqls: stream.sqls, version }, request);
      return { type: 'ok', response };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { type: 'error', error: { message: error.message, code: error.code } };
    }
  }

  #cursor(body: unknown): (stream: Stream, version: 2 | 3) => Promise<Answer> {
    const { batch } = cursorBody.parse(body);
    return async (stream, version) => {
      const lines: object[] = [];
      try {
        const outcome = await runBatch({ session: stream.session, sqls: stream.sqls, version }, batch);
        for (const [step, result] of outcome.step_results.entries()) {
          const error = outcome.step_errors[step] ?? null;
          if (error !== null) lines.push({ type: 'step_error', step, error });
          if (result === null) continue;
          const { cols, rows, affected_row_count, last_insert_rowid } = result;
          lines.push({ type: 'step_begin', step, cols }, ...rows.map((row) => ({ type: 'row', row })));
          lines.push({ type: 'step_end', affected_row_count, last_insert_rowid });
        }
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        lines.push({ type: 'error', error: { message: error.message, code: error.code } });
      }
      const all = [{ baton: this.#streams.release(stream), base_url: null }, ...lines];
      return plain(200, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
    };
  }
}
