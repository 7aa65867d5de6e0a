/**
 * Plinth's PostgreSQL client. The client implements version 3.0 of PostgreSQL's protocol with node:net and has no
 * dependencies.
 */

export { Batch } from './batch.ts';
export { runCapped } from './capped.ts';
export { Client } from './client.ts';
export { connectionOf, type Environment } from './connect/connection-environment.ts';
export {
  type ConnectionTarget,
  isConnectionUri,
  parseConnectionString,
  type SessionKind,
  type SslMode,
} from './connect/connection-string.ts';
export { printConnectionUri } from './connect/print-connection-uri.ts';
export { readPassword } from './connect/private-files.ts';
export { Connection } from './connection.ts';
export { type CopiedRow, copyIn, copyLines, copyOut, readCopiedRow } from './copy.ts';
export { ConnectionError, ConnectionStringError, PostgresError } from './errors.ts';
export type { ConnectionOptions } from './exchange.ts';
export { type Notice, type Notification, readCells } from './messages/messages.ts';
export { connectReplication } from './replication/replication.ts';
export { readArray } from './rows/values.ts';
export { runScript, runUncollected, type ScriptResult } from './script.ts';
export { type PreparedStatement, StatementCache } from './statement-cache.ts';
