import fc from 'fast-check';
import type { Document } from '../../src/lib/corpus/document.ts';
import { type Asked, issue, wiki } from '../support/project.ts';
import { HOUR } from './memory.ts';

/** Random histories: what is indexed, what is asked, and what callers do with the answers. */

const ALPHA = wiki('Alpha', { body: 'The needle: compare Beta, and Omega is not written yet.' });
const BETA = wiki('Beta', { body: 'The thimble belongs to Gamma and Delta.' });
const REST = [
  wiki('Gamma', { body: 'Nothing.' }),
  wiki('Delta', { body: 'See #1.' }),
  wiki('Zeta', { body: 'Omega.' }),
];
const THREAD = issue(1, { body: 'The kettle leaks. See #2, #99 and acme/lib#7.' });
const THREADS = [
  THREAD,
  issue(2, { body: 'As #99.' }),
  issue(3, { body: 'As #99.' }),
  issue(4, { body: 'After #1.' }),
  issue(5, { body: 'After #1.' }),
  issue(7, { repo: 'acme/lib' }),
];

/**
 * What may be indexed: as it was first; with two pages of another version, an edge less and an edge more; and with a page
 * less, to which edges dangle.
 */
export const CORPORA: readonly { readonly documents: readonly Document[]; readonly removed: readonly string[] }[] = [
  { documents: [ALPHA, BETA, ...REST, ...THREADS], removed: [] },
  {
    documents: [
      { ...ALPHA, body: 'The needle: compare Beta, Gamma.', version: '2024-02-01T00:00:00Z' },
      { ...BETA, body: 'The thimble belongs to Delta.', version: '2024-02-02T00:00:00Z' },
      ...REST,
      ...THREADS,
    ],
    removed: [],
  },
  {
    documents: [ALPHA, ...REST, { ...THREAD, version: '2024-02-03T00:00:00Z' }, ...THREADS.slice(1)],
    removed: ['acme/app/wiki/Beta'],
  },
];

export const QUESTIONS: readonly Asked[] = [
  { query: 'needle', graph_expand: true, graph_hops: 2 },
  { query: 'needle', graph_expand: true, graph_hops: 1 },
  { query: 'thimble', graph_expand: true, graph_hops: 2 },
  { query: 'kettle', graph_expand: true, graph_hops: 2 },
  { query: 'needle kettle', graph_expand: true, graph_hops: 2 },
  { query: 'needle' },
  { query: 'zebra', graph_expand: true },
  { sources: ['acme/app#1', 'acme/app/wiki/Gamma', 'acme/app#1'] },
  { since: '9y' },
];

/** Numbers choose among what there is when a step is done, whatever that is. */
export type Step =
  | { readonly do: 'search'; readonly who: number; readonly question: number; readonly use_memory: boolean }
  | { readonly do: 'use'; readonly who: number; readonly trace: number; readonly picks: readonly [number, number][] }
  | { readonly do: 'use fully'; readonly who: number; readonly trace: number; readonly pick: number }
  | { readonly do: 'confirm'; readonly who: number; readonly trace: number; readonly picks: readonly number[] }
  | {
      readonly do: 'learn';
      readonly who: number;
      readonly question: number;
      readonly pick: number;
      readonly times: number;
    }
  | {
      readonly do: 'reverse';
      readonly who: number;
      readonly confirmation: number;
      readonly outcome: 'corrected' | 'rolled_back';
    }
  | { readonly do: 'misuse'; readonly who: number; readonly handles: readonly [number, number, number] }
  | { readonly do: 'repeat'; readonly call: number; readonly altered: boolean }
  | { readonly do: 'tick'; readonly ms: number }
  | { readonly do: 'index'; readonly corpus: number }
  | { readonly do: 'recall'; readonly who: number; readonly trace: number };

export const PRINCIPALS = 2;
const who = fc.nat(PRINCIPALS - 1);
const any = fc.nat(1_000);
const question = fc.nat(QUESTIONS.length - 1);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('search'), who, question, use_memory: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('use'),
      who,
      trace: any,
      picks: fc.array(fc.tuple(any, fc.nat(2)), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('use fully'), who, trace: any, pick: any }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('confirm'),
      who,
      trace: any,
      picks: fc.array(any, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('learn'),
      who,
      question: fc.nat(4),
      pick: any,
      // Now and then often enough to reach the cap.
      times: fc.oneof({ weight: 99, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(22) }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('reverse'),
      who,
      confirmation: any,
      outcome: fc.constantFrom('corrected', 'rolled_back'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('misuse'), who, handles: fc.tuple(any, any, any) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat'), call: any, altered: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('tick'),
      ms: fc.oneof(
        fc.constantFrom(1, HOUR / 3, HOUR, 5 * HOUR, 1200 * HOUR, -1, -HOUR, -7 * HOUR),
        fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('index'), corpus: fc.nat(CORPORA.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recall'), who, trace: any }) },
);

/** A history begins with a search of each principal: others would refuse most of what follows. */
export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(fc.tuple(question, fc.boolean()), { minLength: 2, maxLength: 2 }),
    fc.array(step, { minLength: 3, maxLength: 12 }),
  )
  .map(([first, rest]) => [
    ...first.map(
      ([asked, use_memory], at): Step => ({ do: 'search', who: at % PRINCIPALS, question: asked, use_memory }),
    ),
    ...rest,
  ]);

const search = (who: number, asked: number): Step => ({ do: 'search', who, question: asked, use_memory: true });

/** What chance brings about too seldom: an edge at its cap, and credits that were given, repeated and taken back. */
export const EXAMPLES: readonly Step[][] = [
  [
    search(0, 0),
    { do: 'learn', who: 0, question: 0, pick: 1, times: 22 },
    { do: 'tick', ms: HOUR / 100 },
    { do: 'learn', who: 0, question: 0, pick: 1, times: 2 },
    { do: 'reverse', who: 0, confirmation: 3, outcome: 'corrected' },
    { do: 'tick', ms: -HOUR },
    { do: 'learn', who: 0, question: 0, pick: 1, times: 2 },
    search(0, 0),
  ],
  [
    search(0, 0),
    search(1, 0),
    // The first source was found by its words, the others over the graph.
    { do: 'use fully', who: 0, trace: 0, pick: 0 },
    { do: 'use fully', who: 0, trace: 0, pick: 1 },
    { do: 'use fully', who: 0, trace: 0, pick: 2 },
    { do: 'confirm', who: 0, trace: 0, picks: [0, 1] },
    { do: 'confirm', who: 0, trace: 0, picks: [1, 2] },
    { do: 'reverse', who: 0, confirmation: 0, outcome: 'rolled_back' },
    { do: 'confirm', who: 0, trace: 0, picks: [1, 2] },
    { do: 'reverse', who: 0, confirmation: 0, outcome: 'rolled_back' },
    { do: 'misuse', who: 0, handles: [0, 0, 2] },
    { do: 'learn', who: 0, question: 0, pick: 1, times: 2 },
    { do: 'reverse', who: 0, confirmation: 3, outcome: 'corrected' },
    search(0, 0),
  ],
];
