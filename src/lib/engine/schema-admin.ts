/** State of one migration script in one database. */
export interface MigrationState {
  readonly version: number;
  readonly name: string;
  readonly state: 'applied' | 'pending' | 'changed' | 'unknown';
  /** RFC 3339, where it was applied. */
  readonly applied_at: string | null;
}

/** The schema of a database: looking at it and moving it forward. */
export interface SchemaAdmin {
  /** Read-only: never creates or changes a database. */
  list(): Promise<MigrationState[]>;
  /** Applies what is pending; returns what was applied by this call. Fails with `schema_newer`. */
  apply(): Promise<MigrationState[]>;
  /** `CREATE` statements of the database and of the migrations, by object name; for drift checks. Read-only. */
  compare(): Promise<{ readonly expected: ReadonlyMap<string, string>; readonly found: ReadonlyMap<string, string> }>;
}
