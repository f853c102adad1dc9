import type * as z from 'zod';
import type { Document } from '../../src/lib/corpus/document.ts';
import { type RepoFacts, storeBatch } from '../../src/lib/corpus/store.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { type SearchOutput, type searchInput, searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { testDocument } from './documents.ts';
import { testEngine } from './engine.ts';

/** What every answer is asked with: as a caller writes it. */
export type Asked = z.input<typeof searchInput>;

/** A real index filled with documents, and its search. */
export class TestProject {
  readonly test: TestDatabase;
  readonly engine: Engine;

  private constructor(test: TestDatabase) {
    this.test = test;
    this.engine = testEngine(test);
  }

  /** Indexes documents in their order. */
  static async of(documents: readonly Document[], facts?: ReadonlyMap<string, RepoFacts>): Promise<TestProject> {
    const project = new TestProject(testDatabase());
    await project.add(documents, facts);
    return project;
  }

  #batches = 0;

  async add(documents: readonly Document[], facts?: ReadonlyMap<string, RepoFacts>): Promise<void> {
    this.#batches += 1;
    const watermark = {
      source: 'test',
      surface: String(this.#batches),
      before: null,
      after: '1',
      complete: true,
      owner: 'test',
    };
    const now = this.test.clock.now();
    await storeBatch(this.test.database, indexDocument, {
      documents,
      watermark,
      now,
      ...(facts !== undefined && { facts }),
    });
  }

  search(asked: Asked): Promise<SearchOutput> {
    return invoke(search, this.engine, asked);
  }

  /** An answer without what the memory of the caller adds to it, which differs from call to call. */
  async lasting(asked: Asked): Promise<Omit<SearchOutput, 'trace_id' | 'timestamp' | 'memory_recording'>> {
    const { trace_id: _trace, timestamp: _time, memory_recording: _recording, ...answer } = await this.search(asked);
    const text = JSON.stringify(answer, (key, value: unknown) => (key === 'activation' ? undefined : value));
    return searchOutput.parse(JSON.parse(text));
  }

  /** References of the results in order; of what has none, its type and title. */
  async found(asked: Asked): Promise<string[]> {
    const { results } = await this.search(asked);
    return results.map((result) => result.reference ?? `${result.type} ${result.title}`);
  }
}

type Fields = Partial<Document>;

export const issue = (number: number, fields: Fields = {}): Document => testDocument({ number, ...fields });

export const pull = (number: number, fields: Fields = {}): Document =>
  testDocument({ type: 'pull_request', number, ...fields });

export const comment = (number: number, id: string | null, fields: Fields = {}): Document =>
  testDocument({ type: 'issue_comment', number, commentId: id, title: '', state: null, ...fields });

export const review = (number: number, id: string | null, fields: Fields = {}): Document =>
  testDocument({ type: 'pr_review', number, reviewId: id, title: '', state: 'approved', ...fields });

export const inlineComment = (number: number, id: string | null, fields: Fields = {}): Document =>
  testDocument({ type: 'pr_review_comment', number, commentId: id, title: '', state: null, ...fields });

export const release = (tag: string, fields: Fields = {}): Document =>
  testDocument({ type: 'release', number: null, tag, title: tag, state: null, ...fields });

export const doc = (path: string, fields: Fields = {}): Document =>
  testDocument({ type: 'doc', number: null, path, title: '', state: null, author: null, ...fields });

export const wiki = (path: string, fields: Fields = {}): Document =>
  testDocument({ type: 'wiki_doc', number: null, path, title: path, state: null, author: null, ...fields });

/** `commit` may be short: it is repeated up to 40 digits. */
export const diff = (commit: string, path: string, fields: Fields = {}): Document => {
  const sha = commit.repeat(40).slice(0, 40);
  const preface = 'Change the file';
  return testDocument({
    type: 'diff',
    number: null,
    commit: sha,
    path,
    title: preface,
    preface,
    state: null,
    ...fields,
  });
};
