import { systemEntropy } from '../../src/lib/adapters/entropy.ts';
import { fileSystem } from '../../src/lib/adapters/files.ts';
import { gitProcess } from '../../src/lib/adapters/git/git.ts';
import { systemPresence } from '../../src/lib/adapters/presence.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { Principal } from '../../src/lib/engine/principal.ts';
import type { Progress } from '../../src/lib/engine/progress.ts';
import type { TestDatabase } from './database.ts';

/** Says nothing. */
const silent: Progress = {
  start: () => ({ advance: () => undefined, end: () => undefined }),
  note: () => undefined,
  end: () => undefined,
};

const LOCAL: Principal = { kind: 'local' };
/** Who takes the place of the local one on a database that others use too, where only a verified user has a memory. */
const SOMEBODY: Principal = { kind: 'github', userId: 999_999_999 };

/** An engine of the real adapters over a test database; any part may be replaced. */
export function testEngine(test: TestDatabase, parts: Partial<Engine> = {}): Engine {
  const engine: Engine = {
    database: test.database,
    allowed: 'all',
    schema: test.schema,
    clock: test.clock,
    entropy: systemEntropy,
    presence: systemPresence,
    principal: LOCAL,
    files: fileSystem(),
    git: gitProcess(),
    embedder: null,
    reranker: null,
    github: null,
    progress: silent,
    signal: new AbortController().signal,
    ...parts,
  };
  const unverified = engine.principal?.kind === 'local' && engine.database.backend !== 'local';
  return unverified ? { ...engine, principal: SOMEBODY } : engine;
}
