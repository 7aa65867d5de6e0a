/** The database module, which starts and bootstraps a PostgreSQL server and provides access to the server. */
import { connectDatabase, type DatabaseOptions, openDatabase } from './database.ts';
import { type MemberOptions, serverOfMember } from './member.ts';
import type { Database } from './types.ts';

export { setAutoExposeNewTables } from './auto-expose.ts';
export { backupSlot, dropUnusedBackupSlot } from './backup-slot.ts';
export { generateTypes, type TypeLanguage, typeLanguages } from './client-types.ts';
export type { NodeLimits } from './connection-budget.ts';
export type { DatabaseOptions } from './database.ts';
export { binaryPackage, linkBinaries } from './embedded/binaries.ts';
export { ownScript } from './embedded/extension-folder.ts';
export { extensionAmendment } from './embedded/extension-scripts.ts';
export { extensionSource, fetchPacks } from './embedded/extension-sources.ts';
export { clearLeftovers } from './embedded/leftovers.ts';
export { isHeld, type LockInfo, readLock } from './embedded/lock.ts';
export { copyRunningCluster } from './embedded/online-copy.ts';
export { makeSpare } from './embedded/prepared.ts';
export {
  type RecoveredCluster,
  type RecoveryOptions,
  startRecovery,
  type TableReader,
} from './embedded/recovery.ts';
export { hasSqlVector } from './embedded/sql-vector/detect.ts';
export { migrateNewCluster } from './embedded/upgrade/migrate.ts';
export { type ClusterPair, openClusterPair, type PrivateServer } from './embedded/upgrade/pair.ts';
export { DatabaseError, type DatabaseErrorCode, databaseErrors } from './errors.ts';
export { lockExclusively } from './exclusive-lock.ts';
export { missingExtensions, missingSentence, placeholderVersion } from './extensions/missing.ts';
export { allowedExtensions, scriptedExtensions } from './extensions/trusted.ts';
export { type ExternalOptions, examineExternal, poolerUsers } from './external/examine.ts';
export { type DatabaseUrls, externalUrls } from './external/url.ts';
export {
  type Cell,
  type CellKind,
  type Column,
  inspect,
  isReportName,
  type Report,
  type ReportName,
  reports,
} from './inspect/index.ts';
export type { MemberOptions } from './member.ts';
export {
  type CopySession,
  inspectionTarget,
  type OtherDatabase,
  openCopySession,
  openOtherDatabase,
  openOtherSession,
  openTextSession,
  type ScriptResult,
  type TextSession,
} from './other.ts';
export type { RequestPathLimits } from './path/index.ts';
export { openRemote, type Remote, type RemoteOptions } from './remote.ts';
export { announceSchema } from './schema-requests.ts';
export { readSizes, readStatistics } from './statistics.ts';
export type * from './types.ts';
export {
  ConnectionError,
  type ConnectionOptions,
  ConnectionStringError,
  connectionOf,
  PostgresError,
  parseConnectionString,
  printConnectionUri,
  readArray,
  readCopiedRow,
} from './wire/index.ts';

/**
 * Starts the embedded PostgreSQL server or connects to an external PostgreSQL server, and bootstraps the database.
 * @throws {DatabaseError}
 *
 * @example
 * const database = await createDatabase({ dataDir: '/project/.plinth', port: 54322 });
 * await database.migrate([{ module: 'auth', dir: new URL('./auth/sql/', import.meta.url) }]);
 */
export function createDatabase(options: DatabaseOptions): Promise<Database> {
  return connectDatabase(options);
}

/** Opens a database that another process has started, without starting a server or making changes. */
export function joinDatabase(options: MemberOptions): Database {
  return openDatabase(serverOfMember(options), options.log, () => undefined, {
    path: options.requestPath,
    pools: options.pools,
  });
}
