/**
 * Completes a connection string like libpq, with values from a connection service (`pg_service.conf`), environment
 * variables and files in the home folder (PostgreSQL documentation, sections 32.1, 32.15, 32.16 and 32.17).
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ConnectionStringError } from '../errors.ts';
import { checkKeywords } from './connection-keywords.ts';
import { addDefaults, type ConnectionTarget, readKeywordValues, targetOf } from './connection-string.ts';

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

/**
 * Returns the keywords of a service. The user's service file takes precedence over the system's service file.
 *
 * @throws {ConnectionStringError} if no file defines the service
 */
function readService(
  name: string,
  { userFile, systemFolder }: { readonly userFile: string; readonly systemFolder: string | undefined },
): Map<string, string> {
  const files = [userFile, ...(systemFolder === undefined ? [] : [join(systemFolder, 'pg_service.conf')])];
  for (const file of files) {
    const found = existsSync(file) ? findService(readFileSync(file, 'utf8'), name, file) : undefined;
    if (found !== undefined) return found;
  }
  throw new ConnectionStringError(`The service "${name}" isn't defined in ${files.join(' or ')}`);
}

/** Returns the keywords of the section `[name]`, or undefined if the text doesn't contain the section. */
function findService(text: string, name: string, file: string): Map<string, string> | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const start = lines.indexOf(`[${name}]`);
  if (start < 0) return undefined;
  const values = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    if (index <= start || line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) break;
    const equals = line.indexOf('=');
    const keyword = line.slice(0, Math.max(0, equals));
    if (keyword === '' || keyword === 'service' || keyword === 'servicefile' || line.startsWith('ldap')) {
      throw new ConnectionStringError(`Line ${index + 1} of ${file} isn't supported in a service: ${line}`);
    }
    // If a keyword occurs more than once, its first occurrence applies.
    if (!values.has(keyword)) values.set(keyword, line.slice(equals + 1));
  }
  checkKeywords(values);
  return values;
}
