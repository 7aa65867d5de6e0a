/**
 * Completes a connection string like libpq, with values from a connection service, environment variables and files in
 * the home folder (PostgreSQL documentation, sections 32.1, 32.15, 32.16 and 32.17).
 */
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { addDefaults, type ConnectionTarget, readKeywordValues, targetOf } from './connection-string.ts';
import { readService } from './service-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

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

/** The paths to the certificate files that libpq reads by default, relative to the home folder. */
const FILES: Readonly<Record<string, string>> = {
  sslrootcert: '.postgresql/root.crt',
  sslcert: '.postgresql/postgresql.crt',
  sslkey: '.postgresql/postgresql.key',
};

const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined);

/** The default folders for Unix sockets on Debian and in PostgreSQL's own builds. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];

/**
 * Returns the connection target for a connection string, completed with values from the environment.
 * @throws {ConnectionStringError}
 */
export function connectionOf(text: string, environment: Environment): ConnectionTarget {
  const values = readKeywordValues(text);
  const home = environment.HOME || homedir();
  const service = values.get('service') || environment.PGSERVICE;
  if (service) {
    const found = readService(service, {
      userFile: values.get('servicefile') || environment.PGSERVICEFILE || join(home, '.pg_service.conf'),
      systemFolder: environment.PGSYSCONFDIR,
    });
    addDefaults(values, Object.fromEntries(found));
  }
  const defaults: Record<string, string | undefined> = {};
  for (const [keyword, variable] of Object.entries(VARIABLES)) defaults[keyword] = environment[variable];
  defaults.user ??= userInfo().username;
  if (defaults.hostaddr === undefined) defaults.host ??= socketFolder(values.get('port') ?? defaults.port);
  defaults.passfile ??= join(home, '.pgpass');
  for (const [keyword, file] of Object.entries(FILES)) defaults[keyword] ??= existing(join(home, file));
  addDefaults(values, defaults);
  return targetOf(values);
}

function socketFolder(port = '5432'): string {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost';
}
