import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Contracts } from '../engine/contracts.ts';
import type { Engine } from '../engine/engine.ts';
import { defineOperation } from '../operation/operation.ts';
import { artifactDrift, type Drift, databaseDrift, toolsDrift, toolsOf } from './contract-drift.ts';
import { countLeaves } from './json-diff.ts';

const input = z.strictObject({
  write: z.boolean().default(false).describe('Regenerate the artifacts in schemas/ from the contracts in code'),
  database: z.boolean().default(false).describe('Compare the schema of the database with the migrations, too'),
});

const drift = z.strictObject({
  where: z.string().describe('The artifact, tools/list of a running server, or the database'),
  path: z.string().describe('JSON pointer of the field, or name of the database object'),
  expected: z.string().nullable().describe('What the code says, as JSON or SQL; null where it says nothing'),
  found: z.string().nullable().describe('What was found instead; null where there is nothing'),
});

const output = z.strictObject({
  drift: z.boolean().describe('Whether anything differs'),
  written: z.array(z.string()).describe('Artifacts that were regenerated'),
  checked: z.array(
    z.strictObject({
      where: z.string(),
      fields: z.int().nonnegative().describe('Number of values (or database objects) compared'),
    }),
  ),
  differences: z.array(drift),
});

type Checked = z.output<typeof output>['checked'][number];

/**
 * Compares the contracts in code with the committed artifacts, with a freshly started server and, where asked, the schema
 * of the database with the migrations. Changes files of the working copy with `write`, never a database.
 */
export const schemaCheck = defineOperation({
  name: 'schema_check',
  title: 'Check schemas for drift',
  description:
    'Compares, field by field, the tool contracts in code with the artifacts in schemas/ and with tools/list of a ' +
    'freshly started server, and the database with the migrations.',
  input,
  output,
  effect: 'read',
  openWorld: false,
  faces: ['cli'],
  async handler(engine, { write, database }) {
    const contracts = contractsOf(engine);
    const written = write ? await writeArtifacts(contracts) : [];
    const checks = [await checkArtifacts(contracts), await checkServer(contracts, engine.signal)];
    if (database) checks.push(await checkDatabase(engine));
    const differences = checks.flatMap((check) => check.differences);
    return { drift: differences.length > 0, written, checked: checks.flatMap(({ checked }) => checked), differences };
  },
});

interface Check {
  readonly checked: Checked[];
  readonly differences: Drift[];
}

function contractsOf({ contracts }: Engine): Contracts {
  if (contracts === undefined) throw new Failure('internal', 'the engine was put together without the contracts');
  return contracts;
}

async function writeArtifacts(contracts: Contracts): Promise<string[]> {
  const written: string[] = [];
  for (const [name, text] of contracts.contracts()) {
    if ((await contracts.readArtifact(name)) === text) continue;
    await contracts.writeArtifact(name, text);
    written.push(placeOf(name));
  }
  return written;
}

async function checkArtifacts(contracts: Contracts): Promise<Check> {
  const check: Check = { checked: [], differences: [] };
  for (const [name, text] of contracts.contracts()) {
    const where = placeOf(name);
    check.checked.push({ where, fields: toolsOf(text).reduce<number>((sum, tool) => sum + countLeaves(tool), 0) });
    check.differences.push(...artifactDrift(where, text, await contracts.readArtifact(name)));
  }
  return check;
}

async function checkServer(contracts: Contracts, signal: AbortSignal): Promise<Check> {
  const where = 'tools/list';
  const expected = [...contracts.contracts().values()].flatMap(toolsOf);
  const differences = toolsDrift(where, expected, await contracts.liveTools(signal));
  return { checked: [{ where, fields: countLeaves(expected) }], differences };
}

async function checkDatabase(engine: Engine): Promise<Check> {
  const where = 'database';
  const { expected, found } = await engine.schema.compare();
  return { checked: [{ where, fields: expected.size }], differences: databaseDrift(where, expected, found) };
}

function placeOf(artifact: string): string {
  return `schemas/${artifact}`;
}
