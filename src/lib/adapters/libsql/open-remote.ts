import type { Clock } from '../../engine/clock.ts';
import type { Database } from '../../engine/database.ts';
import type { SchemaAdmin } from '../../engine/schema-admin.ts';
import { listMigrations } from './migrations.ts';
import { REMOTE_TIMEOUT_MS, RemoteDatabase, type RemoteServer } from './remote.ts';
import { remoteSchemaAdmin } from './remote-schema.ts';
import { ReplicaDatabase } from './replica.ts';

export interface OpenRemoteOptions {
  readonly server: Omit<RemoteServer, 'timeoutMs'>;
  /** Directory of the migration scripts. */
  readonly migrations: string;
  readonly clock: Clock;
  /** Of one operation, repetitions included, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** A database on a server and its schema, which changes only by {@link SchemaAdmin.apply}. Asks nothing before the first use. */
export function openRemote(options: OpenRemoteOptions): { database: Database; schema: SchemaAdmin } {
  const { migrations, clock, timeoutMs = REMOTE_TIMEOUT_MS } = options;
  const server = { ...options.server, timeoutMs };
  return {
    database: new RemoteDatabase(server, schemaVersionOf(migrations)),
    schema: remoteSchemaAdmin({ server, directory: migrations, clock }),
  };
}

/** As {@link openRemote}, with reads from a copy in a local file. Its schema is that of the server. */
export function openReplica(
  options: OpenRemoteOptions & {
    readonly file: string;
    /** Brings the copy up to date by itself, in milliseconds; undefined: only at the first read and after writes. */
    readonly syncEveryMs?: number | undefined;
  },
): { database: ReplicaDatabase; schema: SchemaAdmin } {
  const { file, migrations, clock, timeoutMs = REMOTE_TIMEOUT_MS, syncEveryMs } = options;
  const server = { ...options.server, timeoutMs };
  const schemaVersion = schemaVersionOf(migrations);
  const primary = new RemoteDatabase(server, schemaVersion);
  return {
    database: new ReplicaDatabase({ file, primary, server, clock, schemaVersion, syncEveryMs }),
    schema: remoteSchemaAdmin({ server, directory: migrations, clock }),
  };
}

function schemaVersionOf(migrations: string): () => number {
  let version: number | undefined;
  return () => (version ??= listMigrations(migrations).length);
}
