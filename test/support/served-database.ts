import { openRemote, openReplica } from '../../src/lib/adapters/libsql/open-remote.ts';
import type { RemoteServer } from '../../src/lib/adapters/libsql/remote.ts';
import type { Clock } from '../../src/lib/engine/clock.ts';
import type { Database, Durability, Query, Rows, WriteOutcome, WriteStep } from '../../src/lib/engine/database.ts';
import type { SchemaAdmin } from '../../src/lib/engine/schema-admin.ts';
import { type Hrana, startHrana } from './hrana/start.ts';

interface Opened {
  readonly hrana: Hrana;
  readonly database: Database;
  readonly schema: SchemaAdmin;
}

/** How a program reaches a test server. */
export function serverOf(hrana: Hrana, token: string | undefined = hrana.token): Omit<RemoteServer, 'timeoutMs'> {
  const host = new URL(hrana.url).host;
  return { url: hrana.url, host, location: `libsql://${host}`, token };
}

/** A database on a server of its own, which starts, and is migrated, at the first use. `file` is what it serves. */
export function openServed(options: {
  readonly backend: 'remote' | 'replica';
  readonly file: string;
  readonly migrations: string;
  readonly clock: Clock;
}): { database: Database; schema: SchemaAdmin } {
  const { backend, file, migrations, clock } = options;
  let starting: Promise<Opened> | undefined;
  const start = async (): Promise<Opened> => {
    const hrana = await startHrana({ file });
    const common = { server: serverOf(hrana), migrations, clock };
    const opened = backend === 'remote' ? openRemote(common) : openReplica({ ...common, file: `${file}-copy` });
    return { hrana, ...opened };
  };
  const served = (): Promise<Opened> => (starting ??= start());
  let migrating: Promise<Database> | undefined;
  const migrated = (): Promise<Database> =>
    (migrating ??= served().then(async ({ database, schema }) => {
      await schema.apply();
      return database;
    }));
  const database: Database = {
    backend,
    location: `served:${file}`,
    async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
      return (await migrated()).read(queries);
    },
    async write(steps: readonly WriteStep[], durability?: Durability): Promise<WriteOutcome> {
      return (await migrated()).write(steps, durability);
    },
    async close() {
      const opened = await starting?.catch(() => undefined);
      starting = undefined;
      migrating = undefined;
      await opened?.database.close();
      await opened?.hrana.stop();
    },
  };
  const schema: SchemaAdmin = {
    list: async () => (await served()).schema.list(),
    apply: async () => (await served()).schema.apply(),
    compare: async () => (await served()).schema.compare(),
  };
  return { database, schema };
}
