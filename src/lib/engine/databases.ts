import type { Database } from './database.ts';
import type { SchemaAdmin } from './schema-admin.ts';

/** A database and its schema. Whoever opened it closes it. */
export interface OpenDatabase {
  readonly database: Database;
  readonly schema: SchemaAdmin;
}

/** Databases beside the one of an engine, by the path or URL that a person gives. */
export interface Databases {
  /**
   * Asks and creates nothing before the first use. `argument` is the name of the location in failures. Fails with
   * `invalid_input` for what is no location.
   */
  open(location: string, argument: string): OpenDatabase;
}
