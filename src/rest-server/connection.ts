/**
 * Determines how to connect to PostgreSQL: `db-uri`, completed as libpq does (PostgreSQL documentation, 32.1 and
 * 32.15).
 */
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, parseConnectionString } from '../database/index.ts';

const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  hostaddr: 'PGHOSTADDR',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
};

/** The certificate files at libpq's default paths. */
const FILES: Readonly<Record<string, string>> = {
  sslrootcert: '.postgresql/root.crt',
  sslcert: '.postgresql/postgresql.crt',
  sslkey: '.postgresql/postgresql.key',
};

const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined);

/** The socket folders of Debian and of PostgreSQL's own default. */
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
  if (defaults.hostaddr === undefined) defaults.host ??= socketFolder(defaults.port);
  const home = environment.HOME || homedir();
  defaults.passfile ??= join(home, '.pgpass');
  for (const [keyword, file] of Object.entries(FILES)) defaults[keyword] ??= existing(join(home, file));
  return parseConnectionString(uri, defaults);
}

function socketFolder(port = '5432'): string {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost';
}
