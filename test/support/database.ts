import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import type { Clock } from '../../src/lib/engine/clock.ts';
import type { Database, Durability, Query, Rows, WriteOutcome, WriteStep } from '../../src/lib/engine/database.ts';
import type { SchemaAdmin } from '../../src/lib/engine/schema-admin.ts';
import { temporaryDirectory } from './repository.ts';
import { openServed } from './served-database.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  ms = Date.UTC(2024, 5, 1, 12);

  now(): number {
    return this.ms;
  }
}

/** A real database file in a directory of its own. */
export interface TestDatabase {
  readonly file: string;
  readonly database: Database;
  readonly schema: SchemaAdmin;
  readonly clock: TestClock;
  remove(): Promise<void>;
}

export type TestBackend = Database['backend'];

export interface TestDatabaseOptions {
  readonly busyTimeoutMs?: number;
  readonly migrations?: string;
  /** Otherwise GH_RAG_TEST_BACKEND, else local. */
  readonly backend?: TestBackend;
}

export function testDatabase(options: TestDatabaseOptions = {}): TestDatabase {
  const directory = temporaryDirectory();
  const file = join(directory, 'index.db');
  const clock = new TestClock();
  const { migrations = MIGRATIONS, busyTimeoutMs, backend = testBackend() } = options;
  const { database, schema } =
    backend === 'local'
      ? openLocal({ file, migrations, clock, busyTimeoutMs })
      : openServed({ backend, file, migrations, clock });
  return {
    file,
    database,
    schema,
    clock,
    remove: async () => {
      await database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What GH_RAG_TEST_BACKEND chooses for tests that do not choose themselves: local, unless it is set. */
export function testBackend(): TestBackend {
  const chosen = process.env.GH_RAG_TEST_BACKEND ?? 'local';
  if (chosen === 'local' || chosen === 'remote' || chosen === 'replica') return chosen;
  throw new Error(`GH_RAG_TEST_BACKEND must be local, remote or replica, not ${chosen}`);
}

/** Counts the round trips of whatever runs over it. */
export class CountingDatabase implements Database {
  reads = 0;
  writes = 0;
  readonly #inner: Database;

  constructor(inner: Database) {
    this.#inner = inner;
  }

  get backend() {
    return this.#inner.backend;
  }

  get location() {
    return this.#inner.location;
  }

  get staleSince() {
    return this.#inner.staleSince;
  }

  get trips(): number {
    return this.reads + this.writes;
  }

  read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    this.reads += 1;
    return this.#inner.read(queries);
  }

  write(steps: readonly WriteStep[], durability?: Durability): Promise<WriteOutcome> {
    this.writes += 1;
    return this.#inner.write(steps, durability);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
