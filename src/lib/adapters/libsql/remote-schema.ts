import { formatTime } from '../../core/time.ts';
import type { Clock } from '../../engine/clock.ts';
import type { MigrationState, SchemaAdmin } from '../../engine/schema-admin.ts';
import { Attempts } from './remote-attempts.ts';
import { RequestError } from './remote-request.ts';
import { RemoteConnection, type RemoteServer } from './remote.ts';
import { listMigrations, loadMigration, type Migration } from './migrations.ts';
import { expectedObjects } from './schema.ts';
import {
  CREATE_LEDGER_SQL,
  LEDGER_ROW_SQL,
  LEDGER_SQL,
  type LedgerRow,
  ledgerRow,
  OBJECTS_SQL,
  objectsOf,
  states,
} from './schema-state.ts';
import { newerSchema } from './schema-version.ts';
import { sqlStatements } from './sql-statements.ts';
import { rowsOf, wireStatement } from './wire-values.ts';

/** Looks at and moves forward the schema of a database on a server. */
export function remoteSchemaAdmin(options: {
  readonly server: RemoteServer;
  /** Of the migration scripts. */
  readonly directory: string;
  readonly clock: Clock;
}): SchemaAdmin {
  const { server, directory, clock } = options;
  const connection = new RemoteConnection(server);
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connection.failure(error);
    }
  };
  return {
    list: () => explained(async () => states(listMigrations(directory), await ledger(connection))),
    apply: () => explained(() => apply(connection, directory, clock)),
    compare: () =>
      explained(async () => {
        const [found] = await connection.read([wireStatement(OBJECTS_SQL, [])]);
        return {
          expected: await expectedObjects(directory, clock),
          found: objectsOf(found === undefined ? [] : rowsOf(found)),
        };
      }),
  };
}

async function ledger(connection: RemoteConnection): Promise<LedgerRow[]> {
  if ((await connection.schemaVersion()) === 0) return [];
  const [rows] = await connection.read([wireStatement(LEDGER_SQL, [])]);
  return rows === undefined ? [] : rowsOf(rows).map(ledgerRow);
}

async function apply(connection: RemoteConnection, directory: string, clock: Clock): Promise<MigrationState[]> {
  const migrations = listMigrations(directory);
  const version = await connection.schemaVersion();
  if (version > migrations.length) throw newerSchema(connection.server.location, version, migrations.length);
  const mine = new Map<number, string>();
  for (const migration of migrations.slice(version)) {
    const appliedAt = formatTime(clock.now());
    if (await applyOne(connection, migration, appliedAt)) mine.set(migration.version, appliedAt);
  }
  return states(migrations, await ledger(connection)).filter((each) => mine.get(each.version) === each.applied_at);
}

/**
 * A script and its ledger row in one transaction, which the ledger row of another machine stops, or of an earlier copy
 * of the same request. Tells whether the script was applied here.
 */
async function applyOne(connection: RemoteConnection, migration: Migration, appliedAt: string): Promise<boolean> {
  const { sql, checksum } = loadMigration(migration);
  const row = wireStatement(LEDGER_ROW_SQL, [migration.version, migration.name, checksum, appliedAt]);
  const script = sqlStatements(sql).map((statement) => wireStatement(statement, []));
  // The ledger row comes first: its key is the guard. Of two machines the second finds it taken.
  const statements =
    migration.version === 1 ? [wireStatement(CREATE_LEDGER_SQL, []), row, ...script] : [row, ...script];
  const attempts = new Attempts(connection.server.timeoutMs);
  try {
    await attempts.run((timeoutMs) => connection.batch(statements, 'write', timeoutMs));
    return true;
  } catch (error) {
    if (error instanceof RequestError && !attempts.uncertain) throw error;
    // Whatever was in the way: what counts is whether the script is there now.
    if ((await connection.schemaVersion().catch(() => 0)) < migration.version) throw error;
    return attempts.uncertain;
  }
}
