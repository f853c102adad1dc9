import { join } from 'node:path';
import type { Contracts } from '../engine/contracts.ts';
import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/progress.ts';
import { systemClock } from './clock.ts';
import { databaseFile } from './database-location.ts';
import { systemEntropy } from './entropy.ts';
import { fileSystem } from './files.ts';
import { gitProcess } from './git/git.ts';
import { openLocal } from './libsql/open.ts';
import { packageRoot } from './package-root.ts';

export interface SharedOptions {
  /** Path or `file:` URL; undefined for the default file in the data directory. */
  readonly db: string | undefined;
  readonly dataDir: string;
  readonly busyTimeoutMs?: number | undefined;
  readonly contracts?: Contracts | undefined;
}

/** What all callers of one process share: the database. Engines are made from it, one per caller. */
export interface Shared {
  engineFor(signal: AbortSignal, progress: Progress): Engine;
  close(): Promise<void>;
}

/** Puts the adapters together. Opens nothing: the database is opened by its first use. */
export function shareDatabase(options: SharedOptions): Shared {
  const { dataDir, busyTimeoutMs, contracts } = options;
  const { database, schema } = openLocal({
    file: options.db === undefined ? join(dataDir, 'gh-rag.db') : databaseFile(options.db),
    migrations: join(packageRoot(), 'migrations'),
    clock: systemClock,
    busyTimeoutMs,
  });
  const files = fileSystem();
  const git = gitProcess();
  return {
    engineFor: (signal, progress) => ({
      database,
      schema,
      clock: systemClock,
      entropy: systemEntropy,
      principal: { kind: 'local' },
      files,
      git,
      embedder: null,
      reranker: null,
      github: null,
      progress,
      signal,
      contracts,
    }),
    close: () => database.close(),
  };
}

/** One engine for one command. */
export function composeEngine(options: SharedOptions & { readonly progress: Progress; readonly signal: AbortSignal }): {
  engine: Engine;
  close(): Promise<void>;
} {
  const shared = shareDatabase(options);
  return { engine: shared.engineFor(options.signal, options.progress), close: () => shared.close() };
}
