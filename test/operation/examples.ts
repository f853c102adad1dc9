import * as z from 'zod';
import { FAILURE_CODES, Failure } from '../../src/lib/core/failure.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { Progress } from '../../src/lib/engine/progress.ts';
import { type AnyOperation, defineOperation } from '../../src/lib/operation/operation.ts';

/** Echoes its input in a nested output. Named `search` because one artifact file is of that name. */
const search = defineOperation({
  name: 'search',
  title: 'Search examples',
  description: 'Finds what it was asked for.',
  input: z.strictObject({
    query: z.string().max(40).describe('What to look for'),
    top_k: z.int().min(1).max(50).default(10).describe('How many'),
    sort: z.enum(['relevance', 'updated_desc']).default('relevance'),
    labels: z.array(z.string().min(1)).max(5).optional(),
    filter: z.strictObject({ repo: z.string().optional(), since: z.string().nullable().default(null) }).optional(),
  }),
  output: z.object({
    count: z.int().nonnegative(),
    results: z.array(z.object({ title: z.string(), tags: z.array(z.string()), score: z.number().nullable() })),
    next: z.string().optional(),
  }),
  effect: 'record',
  openWorld: false,
  faces: ['cli', 'mcp'],
  handler: (_engine, { query, labels = [] }) =>
    Promise.resolve({ count: 1, results: [{ title: query, tags: labels, score: null }] }),
});

/** Fails as it is told. */
const fail = defineOperation({
  name: 'fail',
  title: 'Fail',
  description: 'Fails.',
  input: z.strictObject({ code: z.enum(FAILURE_CODES).optional(), secret: z.string().default('') }),
  output: z.object({ done: z.literal(true) }),
  effect: 'apply',
  openWorld: true,
  faces: ['mcp'],
  handler: (_engine, { code, secret }) =>
    Promise.reject(
      code === undefined
        ? new TypeError(`no such row: ${secret}`)
        : new Failure(code, 'it failed', { hint: 'Do it right.' }),
    ),
});

/** Counts to `to` in two steps, then waits for the caller to go away when `forever`. Prints where it should not when `loud`. */
const count = defineOperation({
  name: 'count',
  title: 'Count',
  description: 'Counts.',
  input: z.strictObject({
    to: z.int().min(0).max(1000).default(3),
    forever: z.boolean().default(false),
    loud: z.boolean().default(false),
  }),
  output: z.object({ counted: z.int() }),
  effect: 'read',
  openWorld: false,
  faces: ['mcp'],
  async handler({ progress, signal }, { to, forever, loud }) {
    if (loud) console.log('not for the protocol');
    for (const name of ['first', 'second']) {
      const step = progress.start(name, to);
      for (let i = 1; i <= to; i += 1) step.advance(i);
      step.end();
    }
    if (forever) await aborted(signal);
    return { counted: 2 * to };
  },
});

/** Of the command line only. */
const repair = defineOperation({
  name: 'repair',
  title: 'Repair',
  description: 'Repairs.',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'repair',
  openWorld: false,
  faces: ['cli'],
  handler: () => Promise.resolve({}),
});

export const examples: readonly AnyOperation[] = [search, fail, count, repair];

/** An engine for the examples, which touch nothing but these two. */
export function exampleEngine(signal: AbortSignal, progress: Progress): Engine {
  return { signal, progress } as Engine;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => {
      reject(new Failure('interrupted', 'interrupted'));
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
}
