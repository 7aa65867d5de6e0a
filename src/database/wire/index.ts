/** Plinth's PostgreSQL client: protocol 3.0 on node:net, without dependencies. */

export { Batch } from './batch.ts';
export { runCapped } from './capped.ts';
export { Client } from './client.ts';
export { Connection } from './connection.ts';
export {
  type ConnectionTarget,
  parseConnectionString,
  type SessionKind,
  type SslMode,
} from './connection-string.ts';
export { ConnectionError, ConnectionStringError, PostgresError } from './errors.ts';
export type { ConnectionOptions } from './exchange.ts';
export { type Notice, type Notification, readCells } from './messages.ts';
export { connectReplication } from './replication.ts';
export { runScript, type ScriptResult } from './script.ts';
export { type PreparedStatement, StatementCache } from './statement-cache.ts';
export { runUncollected } from './uncollected.ts';
