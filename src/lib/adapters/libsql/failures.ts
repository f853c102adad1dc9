import { Failure } from '../../core/failure.ts';
import { sqliteCode } from './connection.ts';

/** What a person can do about an error of SQLite; errors that are not SQLite's pass through. */
export function databaseFailure(error: unknown, file: string): unknown {
  if (error instanceof Failure) return error;
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_NOTADB') {
    return new Failure('database_unavailable', `${file} is not a gh-rag database`, {
      hint: 'Name another file with --db, or move this one away.',
      cause: error,
    });
  }
  if (code === 'SQLITE_CORRUPT') {
    return new Failure('database_unavailable', `the database ${file} is damaged`, {
      hint: 'Run gh-rag doctor; restore a copy or index again into a new file.',
      cause: error,
    });
  }
  if (code === 'SQLITE_FULL') {
    return new Failure('database_full', `no space left for the database ${file}`, {
      hint: 'What was committed is safe. Free some space and run the same command again.',
      cause: error,
    });
  }
  if (code === 'SQLITE_READONLY') {
    return new Failure('database_unavailable', `the database ${file} cannot be written`, {
      hint: 'Make the file and its folder writable, or name another file with --db.',
      cause: error,
    });
  }
  if (code === 'SQLITE_CANTOPEN' || /unable to open/i.test(message)) {
    return new Failure('database_unavailable', `cannot open the database ${file}`, {
      hint: 'Check that the folder exists and is writable, or name another file with --db.',
      cause: error,
    });
  }
  if (code === 'SQLITE_IOERR') {
    return new Failure('database_unavailable', `reading or writing the database ${file} failed`, {
      hint: 'Check the disk, then run gh-rag doctor.',
      cause: error,
    });
  }
  return error;
}

/** Another process held the write lock for longer than the busy timeout. */
export function busyFailure(file: string, waitedMs: number, cause: unknown): Failure {
  return new Failure('database_busy', `another process is writing to ${file}; waited ${String(waitedMs)} ms`, {
    hint: 'Nothing was changed by this command. Run it again when the other one is done.',
    cause,
  });
}
