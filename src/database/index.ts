/** The database module: starts and bootstraps a PostgreSQL server and provides access to it. */
import { connectDatabase, type DatabaseOptions } from './database.ts';
import type { Database } from './types.ts';

export { setAutoExposeNewTables } from './auto-expose.ts';
export { generateTypes, type TypeLanguage, typeLanguages } from './client-types.ts';
export type { DatabaseOptions } from './database.ts';
export { isHeld, type LockInfo, readLock } from './embedded/lock.ts';
export { DatabaseError, type DatabaseErrorCode, databaseErrors } from './errors.ts';
export { missingExtensions, missingSentence, placeholderVersion } from './extensions/missing.ts';
export { type OtherDatabase, openOtherDatabase } from './other.ts';
export { openRemote, type Remote, type RemoteOptions } from './remote.ts';
export { openTextSession, type TextSession } from './text-session.ts';
export type * from './types.ts';
export {
  ConnectionError,
  type ConnectionOptions,
  ConnectionStringError,
  PostgresError,
  parseConnectionString,
} from './wire/index.ts';

/**
 * Starts the embedded PostgreSQL or connects to an external one, and bootstraps it. @throws {DatabaseError}
 *
 * @example
 * const database = await createDatabase({ dataDir: '/project/.plinth', port: 54322 });
 * await database.migrate([{ room: 'auth', dir: new URL('./auth/sql/', import.meta.url) }]);
 */
export function createDatabase(options: DatabaseOptions): Promise<Database> {
  return connectDatabase(options);
}
