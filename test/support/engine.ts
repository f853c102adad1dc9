import { systemEntropy } from '../../src/lib/adapters/entropy.ts';
import { fileSystem } from '../../src/lib/adapters/files.ts';
import { gitProcess } from '../../src/lib/adapters/git/git.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { Progress } from '../../src/lib/engine/progress.ts';
import type { TestDatabase } from './database.ts';

/** Says nothing. */
const silent: Progress = {
  start: () => ({ advance: () => undefined, end: () => undefined }),
  note: () => undefined,
  end: () => undefined,
};

/** An engine of the real adapters over a test database; any part may be replaced. */
export function testEngine(test: TestDatabase, parts: Partial<Engine> = {}): Engine {
  return {
    database: test.database,
    schema: test.schema,
    clock: test.clock,
    entropy: systemEntropy,
    principal: { kind: 'local' },
    files: fileSystem(),
    git: gitProcess(),
    embedder: null,
    reranker: null,
    github: null,
    progress: silent,
    signal: new AbortController().signal,
    ...parts,
  };
}
