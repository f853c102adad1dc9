import type { Databases, OpenDatabase } from '../engine/databases.ts';
import { type DatabaseLocation, databaseLocation } from './database-location.ts';

/** Databases by path or URL; `open` knows how each kind of location is opened. */
export function databasesBy(open: (location: DatabaseLocation, argument: string) => OpenDatabase): Databases {
  return { open: (location, argument) => open(databaseLocation(location, argument), argument) };
}
