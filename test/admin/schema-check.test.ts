import { describe, expect, test } from 'vitest';
import { schemaCheck } from '../../src/lib/admin/schema-check.ts';
import { artifactDrift, toolsOf } from '../../src/lib/admin/contract-drift.ts';
import { isJsonObject, type Json } from '../../src/lib/core/json.ts';
import type { Contracts } from '../../src/lib/engine/contracts.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { artifactFiles, contractOf, toolContracts } from '../../src/lib/operation/artifact.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import type { AnyOperation } from '../../src/lib/operation/operation.ts';
import { operations } from '../../src/lib/operations.ts';
import { examples } from '../operation/examples.ts';
import { mutations } from './mutations.ts';

/** Lists of operations whose every field is mutated. */
const LISTS: [name: string, operations: readonly AnyOperation[]][] = [
  ['the examples', examples],
  ['gh-rag', operations],
];

/** Contracts of operations that agree in all places, save those that are replaced. */
function contractsOf(operations: readonly AnyOperation[], replaced: Partial<Contracts> = {}): Contracts {
  const committed = artifactFiles(operations);
  const live = JSON.parse(JSON.stringify(toolContracts(operations))) as Json[];
  return {
    contracts: () => artifactFiles(operations),
    readArtifact: (name) => Promise.resolve(committed.get(name)),
    writeArtifact(name, text) {
      committed.set(name, text);
      return Promise.resolve();
    },
    liveTools: () => Promise.resolve(live),
    ...replaced,
  };
}

function check(contracts: Contracts, input: object = {}, engine: Partial<Engine> = {}) {
  return invoke(schemaCheck, { contracts, signal: new AbortController().signal, ...engine } as Engine, input);
}

/** What is said of a place, as paths. */
async function pathsIn(where: string, contracts: Contracts): Promise<string[]> {
  const { drift, differences } = await check(contracts);
  expect(drift).toBe(differences.length > 0);
  return differences.filter((difference) => difference.where === where).map(({ path }) => path);
}

function pointsAt(mutated: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === mutated || path.startsWith(`${mutated}/`));
}

describe.each(LISTS)('of %s', (_name, list) => {
  const files = artifactFiles(list);
  const agreed = contractsOf(list);

  test('nothing drifts when all places agree, and every field was looked at', async () => {
    const { drift, differences, checked } = await check(contractsOf(list));
    expect({ drift, differences }).toEqual({ drift: false, differences: [] });
    const [live, ...artifacts] = checked.map(({ fields }) => fields).reverse();
    expect(live).toBeGreaterThan(30);
    expect(artifacts.reduce((sum, fields) => sum + fields, 0)).toBe(live);
  });

  // One tool at a time: a mutation costs what is compared.
  const single = [...files].flatMap(([name, text]) => {
    const whole = JSON.parse(text) as Json;
    const tools = toolsOf(text);
    return tools.map((tool) => ({ name, artifact: wrapped(whole, tool) }));
  });

  test.each(single)('every mutation of $name is caught, in the file and in the code', ({ name, artifact }) => {
    const text = textOf(artifact);
    const paths = (code: string, file: string) =>
      artifactDrift(`schemas/${name}`, code, file).map((drift) => drift.path);
    const missed: string[] = [];
    let count = 0;
    for (const { path, value } of mutations(artifact)) {
      count += 1;
      const mutated = textOf(value);
      if (!pointsAt(path, paths(text, mutated))) missed.push(`file ${path}`);
      if (!pointsAt(path, paths(mutated, text))) missed.push(`code ${path}`);
    }
    expect(count).toBeGreaterThan(30);
    expect(missed).toEqual([]);
  });

  test.each(toolContracts(list))('every mutation of $name in a running server is caught', async (tool) => {
    const code = new Map([['tool.json', `${JSON.stringify(tool, null, 2)}\n`]]);
    const missed: string[] = [];
    for (const { path, value } of mutations([JSON.parse(JSON.stringify(tool)) as Json], 'tools')) {
      const paths = await pathsIn('tools/list', {
        ...agreed,
        contracts: () => code,
        readArtifact: () => Promise.resolve(undefined), // of no interest here, and quick
        liveTools: () => Promise.resolve(value as Json[]),
      });
      if (!pointsAt(path, paths)) missed.push(path);
    }
    expect(missed).toEqual([]);
  });
});

function textOf(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** An artifact of the same form with one of its tools. */
function wrapped(whole: Json, tool: Json): Json {
  return isJsonObject(whole) && 'tools' in whole ? { tools: [tool] } : tool;
}

test('a difference says where, what the code says and what was found', async () => {
  const [search] = examples;
  const tools = toolContracts(examples).map((tool) =>
    tool.name === search?.name ? { ...tool, title: 'Other' } : tool,
  );
  const contracts = contractsOf(examples, { liveTools: () => Promise.resolve(tools as unknown as Json[]) });
  expect((await check(contracts)).differences).toEqual([
    { where: 'tools/list', path: '/search/title', expected: '"Search examples"', found: '"Other"' },
  ]);
});

test('a missing artifact, one that is no JSON, and one in another order are differences', async () => {
  const text = artifactFiles(examples).get('search-schema.json') ?? '';
  const of = async (found: string | undefined) =>
    (
      await check(
        contractsOf(examples, {
          contracts: () => new Map([['a.json', text]]),
          readArtifact: () => Promise.resolve(found),
        }),
      )
    ).differences.filter(({ where }) => where === 'schemas/a.json');
  expect(await of(undefined)).toEqual([{ where: 'schemas/a.json', path: '', expected: 'a file', found: null }]);
  expect(await of('{')).toMatchObject([{ path: '', expected: 'JSON' }]);
  expect(await of(JSON.stringify(JSON.parse(text)))).toMatchObject([{ path: '', found: 'other order or white space' }]);
  expect(await of(text.replaceAll('\n', '\r\n'))).toEqual([]);
});

test('a change of an operation drifts from the artifacts until they are written', async () => {
  const changed = examples.map((operation) =>
    operation.name === 'fail' ? { ...operation, effect: 'repair' as const } : operation,
  );
  const committed = artifactFiles(examples);
  const contracts = contractsOf(changed, {
    readArtifact: (name) => Promise.resolve(committed.get(name)),
    writeArtifact(name, text) {
      committed.set(name, text);
      return Promise.resolve();
    },
  });
  const before = await check(contracts);
  expect(before.differences).toEqual([
    {
      where: 'schemas/memory-tools.json',
      path: '/tools/fail/annotations/destructiveHint',
      expected: 'true',
      found: 'false',
    },
  ]);
  expect(before.written).toEqual([]);
  expect(await check(contracts, { write: true })).toMatchObject({
    drift: false,
    written: ['schemas/memory-tools.json'],
  });
  expect(committed).toEqual(artifactFiles(changed));
  expect(await check(contracts, { write: true })).toMatchObject({ drift: false, written: [] });
});

test('the database is compared when asked, by object', async () => {
  const schema: Engine['schema'] = {
    list: () => Promise.reject(new Error('not asked')),
    apply: () => Promise.reject(new Error('never')),
    compare: () =>
      Promise.resolve({
        expected: new Map([
          ['a', 'CREATE TABLE a(x)'],
          ['b', 'CREATE TABLE b(x)'],
          ['c', 'CREATE TABLE c(x)'],
        ]),
        found: new Map([
          ['a', 'CREATE TABLE a(x)'],
          ['b', 'CREATE TABLE b(y)'],
          ['d', 'CREATE TABLE d(x)'],
        ]),
      }),
  };
  expect(await check(contractsOf(examples), {}, { schema })).toMatchObject({ drift: false });
  const { checked, differences } = await check(contractsOf(examples), { database: true }, { schema });
  expect(checked.at(-1)).toEqual({ where: 'database', fields: 3 });
  expect(differences).toEqual([
    { where: 'database', path: 'b', expected: 'CREATE TABLE b(x)', found: 'CREATE TABLE b(y)' },
    { where: 'database', path: 'c', expected: 'CREATE TABLE c(x)', found: null },
    { where: 'database', path: 'd', expected: null, found: 'CREATE TABLE d(x)' },
  ]);
});

test('it is an operation of the command line with a contract like any other', () => {
  expect(schemaCheck.faces).toEqual(['cli']);
  expect(contractOf(schemaCheck).inputSchema).toMatchObject({
    properties: { write: { type: 'boolean', default: false }, database: { type: 'boolean', default: false } },
  });
});
