/**
 * Parses connection strings in the forms that libpq accepts, `postgresql://…` and `key=value` (PostgreSQL
 * documentation, 32.1.1).
 */
import { ConnectionStringError } from '../errors.ts';
import { checkKeywords } from './connection-keywords.ts';

export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** The kind of session that a host must provide (libpq's `target_session_attrs`). */
export type SessionKind = (typeof SESSION_KINDS)[number];

export interface HostAddress {
  /** A host name or an IP address. A value that starts with `/` is the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /**
   * The IP address to connect to, instead of resolving the host name. The server's certificate is still checked against
   * `host`, and the password is still looked up by `host`.
   */
  readonly address?: string | undefined;
}

/** The server's address and the account. */
export interface ConnectionTarget extends HostAddress {
  /** Other hosts, which are tried in order if the first host isn't suitable. */
  readonly otherHosts?: readonly HostAddress[] | undefined;
  /** The kind of session that the server must provide. Defaults to `any`. */
  readonly sessionKind?: SessionKind | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  /** The password file (`.pgpass`). This file is used if the connection string doesn't contain a password. */
  readonly passwordFile?: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The path to the file that contains trusted certificates, or `system` for the system's certificates. */
  readonly sslRootCert?: string | undefined;
  /**
   * The path to the file that contains the client's certificate. `sslKey` is the path to the file that contains its
   * key.
   */
  readonly sslCert?: string | undefined;
  readonly sslKey?: string | undefined;
  /** The password for an encrypted client key. */
  readonly sslPassword?: string | undefined;
  readonly applicationName?: string | undefined;
  /** Command line options that are passed to the server (`-c name=value`). */
  readonly options?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
}

const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const SESSION_KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/**
 * Parses a connection string. `defaults` contains values for libpq keywords that the connection string doesn't contain.
 *
 * @example
 * parseConnectionString('postgresql://postgres:secret@127.0.0.1:54322/postgres?sslmode=require')
 * parseConnectionString('host=/run/postgresql user=postgres')
 * parseConnectionString('postgresql://app@one.example,two.example:5433/app?target_session_attrs=primary')
 */
export function parseConnectionString(
  text: string,
  defaults: Readonly<Record<string, string | undefined>> = {},
): ConnectionTarget {
  const values = readKeywordValues(text);
  addDefaults(values, defaults);
  return targetOf(values);
}

export const isConnectionUri = (text: string): boolean => /^\s*postgres(ql)?:\/\//i.test(text);

/** Returns the libpq keywords of a connection string and their values. */
export function readKeywordValues(text: string): Map<string, string> {
  const trimmed = text.trim();
  const values = isConnectionUri(trimmed) ? readUrl(trimmed) : readKeywords(trimmed);
  checkKeywords(values);
  return values;
}

/** Adds the values of keywords that `values` doesn't contain. */
export function addDefaults(
  values: Map<string, string>,
  defaults: Readonly<Record<string, string | undefined>>,
): void {
  for (const [keyword, value] of Object.entries(defaults)) {
    // If `values` contains an address, ignores the host name in the defaults, because that name may belong to a
    // different server.
    if (keyword === 'host' && values.get('hostaddr')) continue;
    if (!values.get(keyword) && value) values.set(keyword, value);
  }
}

/**
 * Returns the connection target.
 * @throws {ConnectionStringError} if values are invalid or inconsistent
 */
export function targetOf(values: ReadonlyMap<string, string>): ConnectionTarget {
  const user = values.get('user') || 'postgres';
  const [first, ...others] = readHosts(values);
  const timeout = values.get('connect_timeout');
  if (timeout !== undefined && !/^\d+$/.test(timeout)) {
    throw new ConnectionStringError(`connect_timeout is not a number of seconds: ${timeout}`);
  }
  const sslRootCert = values.get('sslrootcert') || undefined;
  if (values.get('sslcert') && !values.get('sslkey')) {
    throw new ConnectionStringError('sslcert requires sslkey');
  }
  return {
    ...first,
    otherHosts: others.length === 0 ? undefined : others,
    sessionKind: readSessionKind(values.get('target_session_attrs')),
    user,
    password: values.get('password'),
    passwordFile: values.get('passfile') || undefined,
    database: values.get('dbname') || user,
    sslMode: readSslMode(values.get('sslmode'), sslRootCert),
    sslRootCert,
    sslCert: values.get('sslcert') || undefined,
    sslKey: values.get('sslkey') || undefined,
    sslPassword: values.get('sslpassword'),
    applicationName: values.get('application_name') ?? values.get('fallback_application_name'),
    options: values.get('options'),
    connectTimeoutMs: timeout === undefined || Number(timeout) === 0 ? undefined : Number(timeout) * 1000,
  };
}

/** Returns the connection string's hosts. A single port applies to all hosts. The default port is 5432. */
function readHosts(values: ReadonlyMap<string, string>): readonly [HostAddress, ...HostAddress[]] {
  const list = (keyword: string) => (values.get(keyword) ?? '').split(',').map((one) => one.trim());
  const names = list('host');
  const addresses = list('hostaddr');
  const ports = list('port');
  const count = Math.max(names.length, addresses.length);
  if (values.get('host') && values.get('hostaddr') && names.length !== addresses.length) {
    throw new ConnectionStringError(
      `The connection string contains ${names.length} hosts but ${addresses.length} addresses (hostaddr).`,
    );
  }
  if (ports.length !== 1 && ports.length !== count) {
    throw new ConnectionStringError(
      `The connection string contains ${count} hosts and ${ports.length} ports. Use one port for all hosts, or one port for each host.`,
    );
  }
  const read = (index: number): HostAddress => {
    const address = addresses[index] || undefined;
    const port = (ports.length === 1 ? ports[0] : ports[index]) || '5432';
    return {
      host: names[index] || address || 'localhost',
      port: readPort(port),
      ...(address === undefined ? {} : { address }),
    };
  };
  return [read(0), ...Array.from({ length: count - 1 }, (_, index) => read(index + 1))];
}

function readPort(port: string): number {
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) return Number(port);
  throw new ConnectionStringError(
    `The port in the connection string must be a number from 1 to 65535: ${port}`,
  );
}

function readSessionKind(text = 'any'): SessionKind {
  const kind = SESSION_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new ConnectionStringError(
    `target_session_attrs must be one of ${SESSION_KINDS.join(', ')}, not ${text}`,
  );
}

/**
 * Any server can have a certificate that the system trusts, so with `system`, the server's name must also be verified,
 * as in libpq 16.
 */
function readSslMode(given: string | undefined, rootCert: string | undefined): SslMode {
  const mode = given || (rootCert === 'system' ? 'verify-full' : 'prefer');
  if (rootCert === 'system' && mode !== 'verify-full') {
    throw new ConnectionStringError(`With sslrootcert=system sslmode is verify-full, not ${mode}`);
  }
  // In libpq, `allow` uses TLS only if the server requires it. The mode `prefer`, which tries TLS first, also works
  // with such a server.
  if (mode === 'allow') return 'prefer';
  if (SSL_MODES.includes(mode)) return mode as SslMode;
  throw new ConnectionStringError(`sslmode must be one of ${SSL_MODES.join(', ')}, not ${mode}`);
}

function readUrl(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const [, authority = '', path = '', query = ''] =
    /^[^:]+:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?/.exec(text) ?? [];
  const at = authority.lastIndexOf('@');
  const address = authority.slice(at + 1);
  if (at >= 0) {
    const login = authority.slice(0, at);
    const colon = login.indexOf(':');
    values.set('user', decode(colon < 0 ? login : login.slice(0, colon)));
    if (colon >= 0) values.set('password', decode(login.slice(colon + 1)));
  }
  const addresses = address.split(',').map(readHost);
  values.set('host', addresses.map(({ host }) => host).join(','));
  if (addresses.some(({ port }) => port !== ''))
    values.set('port', addresses.map(({ port }) => port).join(','));
  if (path !== '') values.set('dbname', decode(path));
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0)
      throw new ConnectionStringError(`A parameter in the connection string doesn't have a value: ${pair}`);
    values.set(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
  // libpq accepts JDBC's parameter `ssl=true` only in URIs.
  if (values.get('ssl') === 'true') {
    values.delete('ssl');
    values.set('sslmode', 'require');
  }
  return values;
}

/**
 * Splits text such as `name`, `name:5433` or `[::1]:5433` into host and port. If the text doesn't contain a host or a
 * port, that part is an empty string.
 */
function readHost(text: string): { readonly host: string; readonly port: string } {
  const found = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text);
  if (found === null)
    throw new ConnectionStringError(`The host in the connection string is invalid: ${text}`);
  const [, bracketed, plain = '', port = ''] = found;
  return { host: bracketed ?? decode(plain), port };
}

function readKeywords(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const pattern = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/gy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) {
      throw new ConnectionStringError(
        'A connection string must have the form postgresql://user:password@host:5432/database or host=… user=…',
      );
    }
    values.set(match[1] as string, (match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionStringError(
      `The connection string contains an invalid percent sign. Write %25 for a percent sign.`,
    );
  }
}
