import { afterAll, beforeAll, expect, test } from 'vitest';
import { indexedSlug } from '../../src/lib/corpus/repos.ts';
import { change } from '../../src/lib/engine/database.ts';
import { issue, TestProject } from '../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of([issue(1, { repo: 'Acme/App' })]);
  await project.test.database.write([change("INSERT INTO repos (slug) VALUES ('acme/begun')")]);
});
afterAll(() => project.test.remove());

test.each([
  ['acme/app', 'Acme/App'],
  ['ACME/APP', 'Acme/App'],
  ['acme/ap', undefined],
  ['acme/%', undefined],
  ['acme/begun', undefined],
])('%s is indexed as %s', async (asked, spelt) => {
  expect(await indexedSlug(project.engine, asked)).toBe(spelt);
});
