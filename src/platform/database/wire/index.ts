/**
 * Plinth's PostgreSQL client. The client implements version 3.0 of PostgreSQL's protocol with node:net and has no
 * dependencies.
 */

export { readArray } from './array-literal.ts';
export { Batch } from './batch.ts';
export { runCapped } from './capped.ts';
export { Client } from './client.ts';
export { Connection } from './connection.ts';
export { connectionOf, type Environment } from './connection-environment.ts';
export {
  type ConnectionTarget,
  isConnectionUri,
  parseConnectionString,
  type SessionKind,
  type SslMode,
} from './connection-string.ts';
export { copyIn } from './copy-in.ts';
export { type CopiedRow, copyLines, copyOut, readCopiedRow } from './copy-out.ts';
export { ConnectionError, ConnectionStringError, PostgresError } from './errors.ts';
export type { ConnectionOptions } from './exchange.ts';
export { type Notice, type Notification, readCells } from './messages.ts';
export { printConnectionUri } from './print-connection-uri.ts';
export { readPassword } from './private-files.ts';
export { connectReplication } from './replication.ts';
export { runScript, type ScriptResult } from './script.ts';
export { type PreparedStatement, StatementCache } from './statement-cache.ts';
export { runUncollected } from './uncollected.ts';
