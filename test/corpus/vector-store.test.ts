import { afterAll, beforeAll, expect, test } from 'vitest';
import { introduceEndpoint } from '../../src/lib/corpus/embedder-store.ts';
import { missingPassagesQuery, type PassageVector, vectorSteps } from '../../src/lib/corpus/vector-store.ts';
import { change } from '../../src/lib/engine/database.ts';
import { storedVectors } from '../support/embeddings.ts';
import { issue, TestProject } from '../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of([issue(1), issue(2)]);
});
afterAll(() => project.test.remove());

test('a name that has come to stand for other dimensions takes no vectors of the former ones', async () => {
  const { test } = project;
  const { database } = test;
  const [[first, second]] = await database.read([
    missingPassagesQuery({ embedderId: 0, after: 0, limit: 2, allowed: 'all' }),
  ]);
  const vector = (place: typeof first, dimensions: number): PassageVector[] => [
    { passage: place?.passageId ?? 0, vector: new Float32Array(dimensions).fill(0.5) },
  ];
  const former = { name: 'endpoint:host:model', dimensions: 4 };
  const now = { ...former, dimensions: 8 };
  await database.write([...introduceEndpoint(former.name, 4), ...vectorSteps(former, vector(first, 4))]);
  // Its documents go, and another process embeds by what serves the name now.
  await database.write([change('DELETE FROM passage_vectors')]);
  await database.write([...introduceEndpoint(now.name, 8), ...vectorSteps(now, vector(second, 8))]);
  const before = await storedVectors(test);
  expect(before).toHaveLength(1);
  expect(await database.write(vectorSteps(former, vector(first, 4)))).toEqual({ applied: true });
  expect(await storedVectors(test)).toEqual(before);
  await database.write(vectorSteps(now, vector(first, 8)));
  expect(await storedVectors(test)).toHaveLength(2);
});
