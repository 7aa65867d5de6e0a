/** Parses connection strings like libpq: `postgresql://…` and `key=value` (PostgreSQL documentation, 32.1.1). */
import { ConnectionStringError } from './errors.ts';

export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** The kind of session a host must provide: libpq's `target_session_attrs`. */
export type SessionKind = (typeof SESSION_KINDS)[number];

export interface HostAddress {
  /** A name or an address. A value that starts with `/` is the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** The address to connect to instead of resolving the name. Certificate and password still apply to `host`. */
  readonly address?: string | undefined;
}

/** The server's address and the account. */
export interface ConnectionTarget extends HostAddress {
  /** Tried in turn if the first host isn't suitable. */
  readonly otherHosts?: readonly HostAddress[] | undefined;
  /** Defaults to `any`. */
  readonly sessionKind?: SessionKind | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  /** The file in which a missing password is looked up (`.pgpass`). */
  readonly passwordFile?: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The file with trusted certificates, or `system`. */
  readonly sslRootCert?: string | undefined;
  /** The files of the client certificate and its key. */
  readonly sslCert?: string | undefined;
  readonly sslKey?: string | undefined;
  /** The password of an encrypted key. */
  readonly sslPassword?: string | undefined;
  readonly applicationName?: string | undefined;
  /** Command line options for the server (`-c name=value`). */
  readonly options?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
}

const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const SESSION_KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/**
 * `defaults` contains values for libpq keywords that the text omits.
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
  const trimmed = text.trim();
  const values = /^postgres(ql)?:\/\//i.test(trimmed) ? readUrl(trimmed) : readKeywords(trimmed);
  for (const [keyword, value] of Object.entries(defaults)) {
    // The address is sufficient. A host name from the defaults would belong to a different server.
    if (keyword === 'host' && values.get('hostaddr')) continue;
    if (!values.get(keyword) && value) values.set(keyword, value);
  }
  const user = values.get('user') || 'postgres';
  const [first, ...others] = readHosts(values);
  const timeout = values.get('connect_timeout');
  if (timeout !== undefined && !/^\d+$/.test(timeout)) {
    throw new ConnectionStringError(`connect_timeout is not a number of seconds: ${timeout}`);
  }
  const sslRootCert = values.get('sslrootcert') || undefined;
  if (values.get('sslcert') && !values.get('sslkey')) {
    throw new ConnectionStringError('sslcert is a certificate without its key: add sslkey');
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
    applicationName: values.get('application_name'),
    options: values.get('options'),
    connectTimeoutMs: timeout === undefined || Number(timeout) === 0 ? undefined : Number(timeout) * 1000,
  };
}

/** Returns at least one host. A single port applies to all hosts. The default is 5432. */
function readHosts(values: ReadonlyMap<string, string>): readonly [HostAddress, ...HostAddress[]] {
  const list = (keyword: string) => (values.get(keyword) ?? '').split(',').map((one) => one.trim());
  const names = list('host');
  const addresses = list('hostaddr');
  const ports = list('port');
  const count = Math.max(names.length, addresses.length);
  if (values.get('host') && values.get('hostaddr') && names.length !== addresses.length) {
    throw new ConnectionStringError(
      `The connection string names ${names.length} hosts and ${addresses.length} addresses of them (hostaddr).`,
    );
  }
  if (ports.length !== 1 && ports.length !== count) {
    throw new ConnectionStringError(
      `The connection string names ${count} hosts and ${ports.length} ports: name one for all, or one for each.`,
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
  throw new ConnectionStringError(`The connection string's port is not a number from 1 to 65535: ${port}`);
}

function readSessionKind(text = 'any'): SessionKind {
  const kind = SESSION_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new ConnectionStringError(`target_session_attrs is one of ${SESSION_KINDS.join(', ')}, not ${text}`);
}

/** The system's certificates are valid for any server, so the server's name must be verified (libpq 16). */
function readSslMode(given: string | undefined, rootCert: string | undefined): SslMode {
  const mode = given || (rootCert === 'system' ? 'verify-full' : 'prefer');
  if (rootCert === 'system' && mode !== 'verify-full') {
    throw new ConnectionStringError(`With sslrootcert=system sslmode is verify-full, not ${mode}`);
  }
  // `allow` uses TLS only if the server requires it. Trying TLS first has the same result.
  if (mode === 'allow') return 'prefer';
  if (SSL_MODES.includes(mode)) return mode as SslMode;
  throw new ConnectionStringError(`sslmode is one of ${SSL_MODES.join(', ')}, not ${mode}`);
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
  const places = address.split(',').map(readHost);
  values.set('host', places.map(({ host }) => host).join(','));
  if (places.some(({ port }) => port !== '')) values.set('port', places.map(({ port }) => port).join(','));
  if (path !== '') values.set('dbname', decode(path));
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0)
      throw new ConnectionStringError(`The connection string's parameter has no value: ${pair}`);
    values.set(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
  return values;
}

/** Splits `name`, `name:5433` or `[::1]:5433`. Missing parts are empty. */
function readHost(text: string): { readonly host: string; readonly port: string } {
  const found = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text);
  if (found === null) throw new ConnectionStringError(`The connection string's host cannot be read: ${text}`);
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
        'A connection string looks like postgresql://user:password@host:5432/database or host=… user=…',
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
    throw new ConnectionStringError(`The connection string holds a broken percent sign: write it as %25.`);
  }
}
