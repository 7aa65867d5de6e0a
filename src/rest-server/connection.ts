/** Where PostgreSQL is: `db-uri`, completed as libpq would (PostgreSQL documentation, 32.1 and 32.15). */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type ConnectionOptions, parseConnectionString } from '../database/index.ts';

const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
};

/** Where servers keep their sockets: Debian's place, then PostgreSQL's own default. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];

/** @throws {ConnectionStringError} */
export function connectionOf(
  uri: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionOptions {
  const defaults: Record<string, string | undefined> = {};
  for (const [keyword, variable] of Object.entries(VARIABLES)) defaults[keyword] = environment[variable];
  defaults.application_name ??= 'plinth rest';
  defaults.user ??= userInfo().username;
  defaults.host ??= socketFolder(defaults.port);
  return parseConnectionString(uri, defaults);
}

function socketFolder(port = '5432'): string {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost';
}
