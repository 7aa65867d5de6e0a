/**
 * Determines how to connect to PostgreSQL. Connection parameters that `db-uri` omits have the same defaults as in
 * libpq.
 */
import { type ConnectionOptions, connectionOf as completed } from '../../platform/database/index.ts';

/** Returns the connection options for `db-uri`. @throws {ConnectionStringError} */
export function connectionOf(
  uri: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionOptions {
  return completed(uri, { ...environment, PGAPPNAME: environment.PGAPPNAME ?? 'plinth rest' });
}
