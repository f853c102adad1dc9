import type * as z from 'zod';
import { Failure } from '../../src/lib/core/failure.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { storeBatch } from '../../src/lib/corpus/store.ts';
import { query } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { Principal } from '../../src/lib/engine/principal.ts';
import { memoryHistory } from '../../src/lib/feedback/history.ts';
import { recordOutcome } from '../../src/lib/feedback/outcome.ts';
import type { ConfirmationReceipt, ReversalReceipt, SourceUseReceipt } from '../../src/lib/feedback/receipts.ts';
import { recordSourceUse } from '../../src/lib/feedback/source-use.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { type TestClock, type TestDatabase, testDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { type Asked, issue, wiki } from '../support/project.ts';

export const HOUR = 3_600_000;

/** Tables of the feedback memory; `installations` holds no row of any principal. */
export const MEMORY_TABLES = ['principals', 'traces', 'trace_sources', 'activations', 'receipts', 'credits'] as const;

/** Pages that mention one another: Alpha -> Beta -> Gamma. Only Alpha is found by the word `needle`. */
export const CHAIN: readonly Document[] = [
  wiki('Alpha', { body: 'The needle is explained on Beta.' }),
  wiki('Beta', { body: 'What it means is told on Gamma.' }),
  wiki('Gamma', { body: 'It is sharp.' }),
];

/**
 * Issues that refer to one another. `kettle` finds the first; over the graph lie acme/lib#7 and #2 at one hop, and behind
 * #2 the issues #3 and #4. #5 is reached through #99, which is not indexed.
 */
export const THREADS: readonly Document[] = [
  issue(1, { body: 'The kettle leaks. See #2, #99 and acme/lib#7.' }),
  issue(2, { body: 'Compare #3 and #4.' }),
  issue(3, { body: 'Nothing.' }),
  issue(4, { body: 'Nothing.' }),
  issue(5, { body: 'As in #99.' }),
  issue(7, { repo: 'acme/lib', body: 'Nothing.' }),
];

export const github = (userId: number): Principal => ({ kind: 'github', userId });

/** A real index with a graph, and the callers who search it and remember. */
export class MemoryWorld {
  readonly test: TestDatabase;
  #batches = 0;

  private constructor(test: TestDatabase) {
    this.test = test;
  }

  static async of(documents: readonly Document[], test = testDatabase()): Promise<MemoryWorld> {
    const world = new MemoryWorld(test);
    await world.index(documents);
    return world;
  }

  get clock(): TestClock {
    return this.test.clock;
  }

  /** Indexes documents, and removes those with the given keys, in one batch. */
  async index(documents: readonly Document[], removals: readonly string[] = []): Promise<void> {
    this.#batches += 1;
    await storeBatch(this.test.database, indexDocument, {
      documents,
      removals,
      edgesOf,
      watermark: {
        source: 'test',
        surface: String(this.#batches),
        before: null,
        after: '1',
        complete: true,
        owner: 'test',
      },
      now: this.clock.now(),
    });
  }

  as(principal: Principal | null, parts: Partial<Engine> = {}): Caller {
    return new Caller(testEngine(this.test, { principal, ...parts }));
  }

  /** Runs a statement that answers. */
  async rows(sql: string, ...args: (string | number)[]): Promise<Record<string, unknown>[]> {
    const [rows] = await this.test.database.read([query(sql, args, (row) => ({ ...row }))]);
    return rows;
  }

  /** Every row of the feedback memory, as text. */
  async dump(): Promise<string> {
    const tables = [];
    for (const table of MEMORY_TABLES) tables.push([table, await this.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)]);
    return JSON.stringify(tables, null, 1);
  }

  remove(): Promise<void> {
    return this.test.remove();
  }
}

let keys = 0;
/** An idempotency key that no other call has. */
export function freshKey(): string {
  keys += 1;
  return `key-${String(keys)}`;
}

type Sent<Operation extends { input: z.ZodType }> = z.input<Operation['input']>;
type Optional<Fields, Names extends PropertyKey> = Omit<Fields, Names & keyof Fields> & {
  [Name in Names & keyof Fields]?: Fields[Name];
};

/** One principal's way to the four operations. */
export class Caller {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  search(asked: Asked): Promise<SearchOutput> {
    return invoke(search, this.engine, asked);
  }

  /** A search that must leave a trace. */
  async retrieve(asked: Asked): Promise<SearchOutput & { readonly trace_id: string }> {
    const { trace_id, ...answer } = await this.search(asked);
    if (trace_id === undefined) throw new Error(`no trace: ${String(answer.memory_error)}`);
    return { ...answer, trace_id };
  }

  /** Alpha, found by its word, with Beta and Gamma over the graph. */
  chain(asked: Asked = {}): Promise<SearchOutput & { readonly trace_id: string }> {
    return this.retrieve({ query: 'needle', graph_expand: true, graph_hops: 2, ...asked });
  }

  use(input: Optional<Sent<typeof recordSourceUse>, 'idempotency_key'>): Promise<SourceUseReceipt> {
    return invoke(recordSourceUse, this.engine, { idempotency_key: freshKey(), ...input });
  }

  /** Issue #1 of {@link THREADS} with all that is reached from it. */
  threads(asked: Asked = {}): Promise<SearchOutput & { readonly trace_id: string }> {
    return this.retrieve({ query: 'kettle', graph_expand: true, graph_hops: 2, ...asked });
  }

  /** Records all three stages of some sources of a trace. */
  useFully(trace_id: string, ...sourceIds: readonly string[]): Promise<SourceUseReceipt> {
    const stages = ['selected', 'validated', 'used'] as const;
    const uses = sourceIds.flatMap((source_id) => stages.map((stage) => ({ source_id, stage })));
    return this.use({ trace_id, uses });
  }

  outcome(input: unknown): Promise<ConfirmationReceipt | ReversalReceipt> {
    return invoke(recordOutcome, this.engine, input);
  }

  async confirm(trace_id: string, source_ids: readonly string[], fields: object = {}): Promise<ConfirmationReceipt> {
    const receipt = await this.outcome({
      trace_id,
      idempotency_key: freshKey(),
      outcome: 'confirmed',
      source_ids,
      reason: 'It held.',
      ...fields,
    });
    if (receipt.kind !== 'confirmation') throw new Error('not a confirmation');
    return receipt;
  }

  /** Takes a confirmation back. */
  async reverse(
    { trace_id, confirmation_id }: Pick<ConfirmationReceipt, 'trace_id' | 'confirmation_id'>,
    fields: object = {},
  ): Promise<ReversalReceipt> {
    const receipt = await this.outcome({
      trace_id,
      idempotency_key: freshKey(),
      outcome: 'corrected',
      confirmation_id,
      reason: 'It was wrong.',
      ...fields,
    });
    if (receipt.kind !== 'reversal') throw new Error('not a reversal');
    return receipt;
  }

  history(input: Sent<typeof memoryHistory> = {}): ReturnType<typeof memoryHistory.handler> {
    return invoke(memoryHistory, this.engine, input);
  }

  /** Every page of a listing. Throws where it has no end. */
  async pages(input: Sent<typeof memoryHistory>): Promise<Awaited<ReturnType<typeof memoryHistory.handler>>[]> {
    const read = [await this.history(input)];
    for (let cursor = read[0]?.next_cursor ?? null; cursor !== null; cursor = read.at(-1)?.next_cursor ?? null) {
      if (read.length > 200) throw new Error('history goes round in circles');
      read.push(await this.history({ ...input, cursor }));
    }
    return read;
  }

  /** One trace as history shows it. */
  async recall(trace_id: string) {
    const { trace, receipts, next_cursor } = await this.history({ trace_id, limit: 50 });
    if (trace === undefined || receipts === undefined) throw new Error('history shows no trace');
    return { ...trace, receipts, next_cursor };
  }
}

/** Source ids of an answer by the page or reference that they are of. */
export function sourcesOf({ results, graph_results }: Pick<SearchOutput, 'results' | 'graph_results'>) {
  const rows = [...results, ...graph_results];
  return (reference: string): string => {
    const found = rows.find((row) => row.wiki_path === reference || row.reference === reference)?.source_id;
    if (found === undefined) throw new Error(`${reference} is not in the answer`);
    return found;
  };
}

/** What a refused call says; throws when it was not refused. */
export async function refusal(call: Promise<unknown>): Promise<Pick<Failure, 'code' | 'message' | 'hint'>> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw error;
  return { code: error.code, message: error.message, hint: error.hint };
}

/** The code that a call is refused with. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).code;
}
