/** Our PostgreSQL client: protocol 3.0 on node:net, nothing else. */

export { Client } from './client.ts';
export type { ConnectionOptions } from './connection.ts';
export { type ConnectionTarget, parseConnectionString, type SslMode } from './connection-string.ts';
export { ConnectionError, ConnectionStringError, PostgresError } from './errors.ts';
export type { Notice, Notification } from './messages.ts';
export { connectReplication } from './replication.ts';
