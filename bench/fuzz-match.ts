import fc from 'fast-check';
import { normalizeText } from '../src/lib/core/text.ts';
import { wordsOf } from '../src/lib/indexing/segment.ts';
import { anyOf, buildFtsQuery } from '../src/lib/retrieval/fts-query.ts';
import { type CodeUnit, type ProseUnit, queryUnits } from '../src/lib/retrieval/query-units.ts';
import { foldCase, vocabularyKey } from '../src/lib/indexing/vocabulary.ts';
import { FullText, type IndexName, type Passage } from '../test/support/full-text.ts';

/*
 * Random queries against the real full-text tables. A test runs a few thousand; more with
 *
 *   FUZZ_RUNS=100000 npx vitest run test/retrieval/fuzz-match.test.ts
 */

/** What could be syntax, what tokenizers take apart, and what is no well-formed text. */
const PIECES = [
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'NEAR(',
    'near/2',
    'title:',
    'body :',
    '{title body}:',
    '-title:',
    'rank',
    'passages_nat',
  ],
  ...[
    '"',
    '""',
    "'",
    '(',
    ')',
    ':',
    '::',
    '-',
    '--',
    '+',
    '*',
    '^',
    '.',
    ',',
    ';',
    '/*',
    '*/',
    '?',
    '?1',
    '@a',
    '$a',
    '\\',
    '%',
    '_',
  ],
  ...[
    'foo',
    'bar',
    'title',
    'body',
    'caches',
    'cached',
    'the',
    'why',
    "don't",
    'a',
    'x',
    'é',
    'É',
    'ß',
    'İ',
    'ς',
    'Ёлка',
    'हिन्दी',
    '한국어',
  ],
  ...[
    'foo_bar',
    'a::b',
    'src/lib/x.ts',
    'E0308',
    'SQLITE_BUSY',
    '0x80070005',
    'v1.2.3',
    '#123',
    'abc1234',
    'deadbeefcafe',
    'baked',
    'e',
  ],
  ...[
    '検索',
    '結果',
    'の',
    '東京都',
    'ภาษาไทย',
    '\u{20BB7}',
    '👩‍👩‍👧',
    '…',
    '\u0301',
    '\u0345',
    '\u200B',
    '\uFEFF',
    '\uFFFE',
    '\u0378',
  ],
  ...[
    '\0',
    '\uD800',
    '\uDC00',
    '\u0007',
    '\u001B[31m',
    '\r\n',
    '\n',
    '\t',
    ' ',
    ' ',
    ' ',
    ' ',
    ' ',
    '\u3000',
    '\u00A0',
  ],
];

const queryText = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join('')) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(' ')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 24 }) },
  { weight: 1, arbitrary: fc.uint16Array({ maxLength: 24 }).map((units) => String.fromCharCode(...units)) },
);
const column = fc.constantFrom('title', 'heading', 'reference', 'body');

export interface FuzzReport {
  readonly inputs: number;
  /** MATCH expressions that were run. */
  readonly matches: number;
  /** One line each: what went wrong and the input as JSON. */
  readonly failures: readonly string[];
}

/**
 * Puts random texts into both tables, each into a random column, and searches for each of them. An expression must not
 * throw, must find exactly the passages that hold the units of the query by an oracle that knows no FTS5, and the strict
 * one must find the passage that is the query.
 */
export function fuzzMatch(runs: number, seed: number): FuzzReport {
  const failures: string[] = [];
  let inputs = 0;
  let matches = 0;
  for (let batch = 0; inputs < runs; batch += 1) {
    const size = Math.min(100, runs - inputs);
    const samples = fc.sample(fc.tuple(queryText, column), { numRuns: size, seed: seed + batch });
    const passages = samples.map(
      ([text, name]): Passage => ({ [name]: text, body: name === 'body' ? text : 'title foo' }),
    );
    const table = new FullText().add(passages);
    const held = passages.map((passage) => heldBy(Object.values(passage)));
    samples.forEach(([text], at) => {
      const fail = (what: string): number => failures.push(`${what}: ${JSON.stringify(text)}`);
      const units = queryUnits(text);
      const expressions = expressionsFor(text, units);
      for (const { index, tier, expression, holds } of expressions) {
        matches += 1;
        const expected = held.flatMap((passage, place) => (holds(passage) ? [place + 1] : []));
        try {
          const found = table.match(index, expression);
          if (found.join() !== expected.join()) fail(`${index} ${tier} found ${found.join()}, not ${expected.join()}`);
          if (!found.includes(at + 1)) fail(`${index} ${tier} did not find the query itself`);
        } catch (error) {
          fail(`${index} ${tier} threw ${String(error)}`);
        }
      }
      if (wordsOf(normalizeText(text)).length > 0 && !expressions.some(({ index }) => index === 'nat'))
        fail('nat unasked');
    });
    table.close();
    inputs += size;
  }
  return { inputs, matches, failures };
}

/** The columns of a passage, as the two indexes see them. */
interface Held {
  readonly keys: readonly string[];
  readonly folded: readonly string[];
}

function heldBy(columns: readonly string[]): Held {
  const texts = columns.map(normalizeText);
  const keys = texts.map(
    (text) =>
      ` ${wordsOf(text)
        .map((word) => vocabularyKey(word.text))
        .join(' ')} `,
  );
  return { keys, folded: texts.map(foldCase) };
}

interface Expression {
  readonly index: IndexName;
  readonly tier: 'strict' | 'relaxed';
  readonly expression: string;
  readonly holds: (passage: Held) => boolean;
}

interface Tiers<Unit> {
  readonly strict: readonly Unit[];
  readonly relaxed: readonly Unit[];
}

function expressionsFor(text: string, { prose, compound, code }: ReturnType<typeof queryUnits>): Expression[] {
  const { nat, code: substrings } = buildFtsQuery(text);
  const hasProse = (unit: ProseUnit) => (passage: Held) =>
    passage.keys.some((keys) => keys.includes(` ${unit.keys.join(' ')}${unit.prefix ? '' : ' '}`));
  const hasCode = (unit: CodeUnit) => (passage: Held) =>
    passage.folded.some((folded) => folded.includes(foldCase(unit.text)));
  const both = (
    index: IndexName,
    tests: Tiers<(passage: Held) => boolean>,
    asked: typeof nat,
    instead: (passage: Held) => boolean = () => false,
  ): Expression[] =>
    asked === null
      ? []
      : [
          {
            index,
            tier: 'strict',
            expression: asked.strict,
            holds: (held) => tests.strict.every((test) => test(held)) || instead(held),
          },
          {
            index,
            tier: 'relaxed',
            expression: anyOf(asked.relaxed),
            holds: (held) => tests.relaxed.some((test) => test(held)),
          },
        ];
  return [
    ...both(
      'nat',
      { strict: prose.strict.map(hasProse), relaxed: prose.relaxed.map(hasProse) },
      nat,
      compound === null ? undefined : hasProse(compound),
    ),
    ...both('code', { strict: code.strict.map(hasCode), relaxed: code.relaxed.map(hasCode) }, substrings),
  ];
}
