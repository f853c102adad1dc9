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

  const single = [...files].flatMap(([name, text]) => {
    const whole = JSON.parse(text) as Json;
    return toolsOf(text).map((tool) => ({ name, tool, within: (part: Json) => wrapped(whole, part) }));
  });

  test.each(single)('every mutation of $name is caught, in the file and in the code', ({ name, tool, within }) => {
    const paths = (code: string, file: string) =>
      artifactDrift(`schemas/${name}`, code, file).map((drift) => drift.path);
    const missed: string[] = [];
    const mutated = new Set<string>();
    for (const artifact of partsOf(tool).map(within)) {
      const text = textOf(artifact);
      for (const { path, value } of mutations(artifact)) {
        mutated.add(path);
        const other = textOf(value);
        if (!pointsAt(path, paths(text, other))) missed.push(`file ${path}`);
        if (!pointsAt(path, paths(other, text))) missed.push(`code ${path}`);
      }
    }
    expect(mutated).toEqual(placesIn(within(tool)));
    expect(mutated.size).toBeGreaterThan(20);
    expect(missed).toEqual([]);
  });

  test.each(toolContracts(list))('every mutation of $name in a running server is caught', async (contract) => {
    const tool = JSON.parse(JSON.stringify(contract)) as Json;
    const missed: string[] = [];
    const mutated = new Set<string>();
    for (const part of partsOf(tool)) {
      const code = new Map([['tool.json', textOf(part)]]);
      for (const { path, value } of mutations([part], 'tools')) {
        mutated.add(path);
        const paths = await pathsIn('tools/list', {
          ...agreed,
          contracts: () => code,
          readArtifact: () => Promise.resolve(undefined), // of no interest here, and quick
          liveTools: () => Promise.resolve(value as Json[]),
        });
        if (!pointsAt(path, paths)) missed.push(path);
      }
    }
    expect(mutated).toEqual(placesIn([tool], 'tools'));
    expect(missed).toEqual([]);
  });
});

function placesIn(value: Json, key?: string): Set<string> {
  return new Set([...mutations(value, key)].map(({ path }) => path));
}

/** A tool without the properties of its schemas, and with one of them alone: a mutation costs what is compared. */
function partsOf(tool: Json): Json[] {
  if (!isJsonObject(tool) || tool.name === undefined) throw new Error('not a tool');
  const { name } = tool;
  const parts: Json[] = [];
  let bare = tool;
  for (const [key, schema] of Object.entries(tool)) {
    if (!isJsonObject(schema) || !isJsonObject(schema.properties)) continue;
    bare = { ...bare, [key]: { ...schema, properties: {} } };
    for (const [property, value] of Object.entries(schema.properties))
      parts.push({ name, [key]: { properties: { [property]: value } } });
  }
  return [bare, ...parts];
}

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
