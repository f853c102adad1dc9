import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { testEngine } from '../support/engine.ts';
import { TestIndex } from '../support/test-index.ts';

/** Real exports with questions about them; they lie beside the project and are no part of it. `gh-rag eval` measures them. */
const DATA = fileURLToPath(new URL('../../../shared/data/github-export', import.meta.url));

const question = z.object({ query: z.string(), exclude_numbers: z.array(z.int()).default([]) });

const opened: TestIndex[] = [];
afterAll(() => Promise.all(opened.map((index) => index.remove())));

describe.each(['gui', 'rust'])('the questions about %s', (name) => {
  const gold = join(DATA, `${name}.gold.jsonl`);
  // Skipped where the data is not there.
  test.skipIf(!existsSync(gold))('are all answered as the contract says', { timeout: 240_000 }, async () => {
    const index = new TestIndex();
    opened.push(index);
    const { written } = await index.run(join(DATA, `${name}.jsonl.gz`));
    expect(written).toBeGreaterThan(1000);
    const engine = testEngine(index.test);
    const questions = readFileSync(gold, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => question.parse(JSON.parse(line)))
      // GOLD_QUESTIONS=all asks every one.
      .filter((_, at, all) => process.env.GOLD_QUESTIONS === 'all' || at % Math.ceil(all.length / 25) === 0);
    for (const { query, exclude_numbers } of questions) {
      const answer = searchOutput.parse(await invoke(search, engine, { query, top_k: 10 + exclude_numbers.length }));
      expect(answer).toMatchObject({ mode: 'search', feedback_available: true });
      expect(answer.count).toBeGreaterThan(0);
    }
  });
});
