import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../support/repository.ts';
import { abortAfter, TestIndex } from '../support/test-index.ts';

/** Random histories with runs of the indexer in between: in the end the index is as if it had been made at once. */

const START = 1_700_000_000;
const PATHS = ['a.md', 'docs/b.md', 'c.txt', 'src/d.ts', 'vendor/e.md', '.gitattributes'] as const;
const TEXTS = [
  'alpha\n',
  '# Beta\n\nbeta\n',
  'binary\0',
  'It is *not* in [b](docs/b.md), see #3 and acme/app#4; closes #5.\n',
  '*.md linguist-generated\n',
  'vendor/* -linguist-vendored\nsrc/** linguist-vendored\n',
  '',
];

const edit = fc.record({ path: fc.constantFrom(...PATHS), text: fc.constantFrom(...TEXTS, null) });
/** Committer clocks go wrong by up to some commits, in both directions. */
const skew = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -5, max: 5 }) },
);

const commit = fc.record({ do: fc.constant('commit' as const), edits: fc.array(edit, { maxLength: 3 }), skew });
/** A branch from an earlier commit, and a merge that may change files by itself. */
const merge = fc.record({
  do: fc.constant('merge' as const),
  from: fc.nat(),
  edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
  inMerge: fc.array(edit, { maxLength: 2 }),
  skew,
});
const tag = fc.record({
  do: fc.constant('tag' as const),
  name: fc.constantFrom('v1', 'v2', 'v3'),
  at: fc.option(fc.nat()),
});
const reset = fc.record({ do: fc.constant('reset' as const), to: fc.nat() });
const run = fc.record({
  do: fc.constant('index' as const),
  types: fc.option(fc.subarray(['doc', 'release', 'diff'], { minLength: 1 })),
  /** Commits before the newest that are old enough to be left out. */
  since: fc.option(fc.integer({ min: -2, max: 8 })),
  dryRun: fc.boolean(),
  /** Progress after which the run is interrupted. */
  abort: fc.option(fc.integer({ min: 1, max: 12 })),
});

const step = (...more: fc.Arbitrary<{ do: 'reset'; to: number }>[]) =>
  fc.oneof(
    { weight: 4, arbitrary: commit },
    { weight: 2, arbitrary: merge },
    { weight: 1, arbitrary: tag },
    { weight: 5, arbitrary: run },
    ...more.map((arbitrary) => ({ weight: 2, arbitrary })),
  );
type Step = ReturnType<typeof step> extends fc.Arbitrary<infer S> ? S : never;
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

/** A bare repository with a branch `main`, written by git fast-import. */
class History {
  readonly repository = TestRepository.init('--bare');
  readonly #commits: string[] = [];

  constructor() {
    this.#commit('refs/heads/main', [], [{ path: 'a.md', text: 'alpha\n' }], 0);
  }

  apply(action: Exclude<Step, { do: 'index' }>): void {
    switch (action.do) {
      case 'commit':
        this.#commit('refs/heads/main', [this.head], action.edits, action.skew);
        break;
      case 'merge': {
        const branch = this.#commit('refs/heads/side', [this.#at(action.from)], action.edits, action.skew);
        this.#commit('refs/heads/main', [this.head, branch], action.inMerge, 0);
        break;
      }
      case 'tag':
        if (action.at === null) this.repository.git('update-ref', '-d', `refs/tags/${action.name}`);
        else this.repository.git('update-ref', `refs/tags/${action.name}`, this.#at(action.at));
        break;
      case 'reset':
        this.repository.git('update-ref', 'refs/heads/main', this.#at(action.to));
        break;
    }
  }

  get head(): string {
    return this.repository.git('rev-parse', 'refs/heads/main');
  }

  /** Date of the newest commit, were all clocks right; ms. */
  get now(): number {
    return (START + this.#commits.length * 60) * 1000;
  }

  #at(n: number): string {
    return this.#commits[n % this.#commits.length] ?? this.head;
  }

  #commit(ref: string, parents: readonly string[], edits: readonly Edit[], wrong: number): string {
    const time = String(START + (this.#commits.length + 1 + wrong) * 60);
    const [first, second] = parents;
    const lines = [
      `commit ${ref}`,
      `committer Ada Example <ada@example.org> ${time} +0000`,
      `data 6\nchange`,
      ...(first === undefined ? [] : [`from ${first}`]),
      ...(second === undefined ? [] : [`merge ${second}`]),
      ...edits.map(({ path, text }) =>
        text === null ? `D ${path}` : `M 100644 inline ${path}\ndata ${String(Buffer.byteLength(text))}\n${text}`,
      ),
    ];
    this.repository.gitWith({ input: `${lines.join('\n')}\n` }, 'fast-import', '--quiet', '--force');
    const id = this.repository.git('rev-parse', ref);
    this.#commits.push(id);
    return id;
  }
}

/** Plays the steps, indexes once more, and compares with an index that is made from the end state. */
async function play(steps: readonly Step[], types: readonly string[]): Promise<void> {
  const history = new History();
  const index = new TestIndex(2);
  try {
    for (const action of steps) {
      if (action.do !== 'index') {
        history.apply(action);
        continue;
      }
      const chosen = types.filter((type) => action.types === null || action.types.includes(type));
      if (chosen.length === 0) continue;
      const since = action.since === null ? {} : { since: new Date(history.now - action.since * 60_000).toISOString() };
      const input = { types: chosen, dry_run: action.dryRun, ...since };
      const running = index.run(history.repository, input, action.abort === null ? {} : abortAfter(action.abort));
      await running.catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'interrupted')) throw error;
      });
    }
    await index.run(history.repository, { types });
    const { writes } = await index.counted(history.repository, { types });
    const fresh = new TestIndex();
    try {
      await fresh.run(history.repository, { types });
      expect(await index.digest()).toBe(await fresh.digest());
      expect(await index.edges()).toEqual(await fresh.edges());
      expect(writes).toBe(0);
    } finally {
      await fresh.remove();
    }
  } finally {
    history.repository.remove();
    await index.remove();
  }
}

/** `HISTORIES=200 npx vitest run test/ingest/git-histories.test.ts --testTimeout=3600000` looks longer. */
const settings =
  process.env.HISTORIES === undefined
    ? { numRuns: 4, interruptAfterTimeLimit: 40_000 }
    : { numRuns: Number(process.env.HISTORIES) };

describe('whatever was indexed before, a run without options gives what a fresh index has', () => {
  it('of histories that only grow: docs, releases and diffs', async () => {
    const steps = fc.array(step(), { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(steps, (each) => play(each, ['doc', 'release', 'diff'])),
      settings,
    );
  });

  it('of histories that are rewritten: docs and releases', async () => {
    const steps = fc.array(step(reset), { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(steps, (each) => play(each, ['doc', 'release'])),
      settings,
    );
  });
});
