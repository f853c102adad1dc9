import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Document } from '../../src/lib/corpus/document.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { testEngine } from '../support/engine.ts';
import { issue, TestProject, wiki } from '../support/project.ts';

/** Real pages in Chinese and Japanese; they lie beside the project and are no part of it. */
const DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const CHINESE = join(DATA, 'github-export/f2e-zh.jsonl.gz');
const JAPANESE = ['d1_liplus_benchmark.json', 'd1_liplus_wiki.json'].map((name) => join(DATA, 'ngr', name));

const OWN_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Titles in other words: those of each from the last to the first, so that no page holds the phrase, and without its first
 * one where what is left is not said of another page too.
 */
function paraphrases(titles: readonly string[], language: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const reversed = titles.map((title) =>
    [...segmenter.segment(title)]
      .flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []))
      .reverse(),
  );
  const shorter = reversed.map((words) => words.slice(0, -1).join(' '));
  return reversed.map((words, at) => {
    const own = shorter[at] ?? '';
    const said = words.length > 3 && shorter.filter((other) => other === own).length === 1;
    return said ? own : words.join(' ');
  });
}

/** Asks for every page by its title in other words. */
async function expectFound(
  asked: readonly { document: Document; title: string }[],
  all: readonly Document[],
  language: string,
) {
  const project = await TestProject.of(all);
  try {
    const engine = testEngine(project.test, { embedder: 'lsa' });
    await embedIndex(engine);
    const missed: string[] = [];
    const queries = paraphrases(
      asked.map(({ title }) => title),
      language,
    );
    for (const [at, { document }] of asked.entries()) {
      const query = queries[at] ?? '';
      const { results } = await invoke(search, engine, { query, top_k: 3 });
      const found = results.some((row) =>
        document.number === null ? row.wiki_path === document.path : row.number === document.number,
      );
      if (!found) missed.push(`${String(document.number ?? document.path)}: ${query}`);
    }
    expect(missed).toEqual([]);
  } finally {
    await project.test.remove();
  }
}

describe('a title in other words finds its page among the first three', () => {
  // Skipped where the data is not there.
  test.skipIf(!existsSync(CHINESE))('in Chinese', async () => {
    const record = z.object({ number: z.int(), title: z.string(), body: z.string().nullish() });
    const records = gunzipSync(readFileSync(CHINESE))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => record.parse(JSON.parse(line)));
    const documents = records.map(({ number, title, body }) => issue(number, { title, body: body ?? '' }));
    const asked = documents.flatMap((document) => {
      // A title is an address and what is there.
      const title = document.title.replace(/https?:\/\/[^\s，]+/g, '');
      return OWN_SCRIPT.test(title) ? [{ document, title }] : [];
    });
    expect(asked.length).toBeGreaterThan(50);
    await expectFound(asked, documents, 'zh');
  });

  test.skipIf(!JAPANESE.every((file) => existsSync(file)))('in Japanese', async () => {
    const fixture = z.object({
      nodes: z.array(z.object({ text: z.string(), metadata: z.object({ type: z.string() }) })),
    });
    const nodes = JAPANESE.flatMap((file) => fixture.parse(JSON.parse(readFileSync(file, 'utf8'))).nodes);
    // The text of a page begins with its name.
    const texts = new Map(
      nodes.flatMap(({ text, metadata }) => {
        const end = text.indexOf('\n');
        return metadata.type === 'wiki_doc' ? [[text.slice(0, end), text.slice(end).trim()] as const] : [];
      }),
    );
    const documents = [...texts].map(([path, body]) => wiki(path, { body }));
    const asked = documents.map((document) => {
      const lines = document.body.split('\n');
      const heading = /^# (.*)/.exec(lines[0] ?? '')?.[1] ?? '';
      // Some names are English, and say nothing in the language: what the page begins with is asked for instead.
      const sentence = lines.find((line) => line !== '' && !line.startsWith('#')) ?? '';
      return { document, title: OWN_SCRIPT.test(heading) ? heading : sentence };
    });
    expect(asked.length).toBeGreaterThanOrEqual(12);
    await expectFound(asked, documents, 'ja');
  });
});
