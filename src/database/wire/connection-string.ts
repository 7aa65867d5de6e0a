/** Connection strings as libpq reads them: `postgresql://…` and `key=value` (PostgreSQL documentation, 32.1.1). */
import { ConnectionStringError } from './errors.ts';

export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** Where the server is and who signs in. */
export interface ConnectionTarget {
  /** A name or address; a value that begins with `/` is the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** File with the certificates to trust, for `verify-ca` and `verify-full`. */
  readonly sslRootCert?: string | undefined;
  readonly applicationName?: string | undefined;
  /** Command line options for the server (`-c name=value`). */
  readonly options?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
}

const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * `defaults` holds libpq's keywords with the values of what the text leaves out.
 *
 * @example
 * parseConnectionString('postgresql://postgres:secret@127.0.0.1:54322/postgres?sslmode=require')
 * parseConnectionString('host=/run/postgresql user=postgres')
 */
export function parseConnectionString(
  text: string,
  defaults: Readonly<Record<string, string | undefined>> = {},
): ConnectionTarget {
  const trimmed = text.trim();
  const values = /^postgres(ql)?:\/\//i.test(trimmed) ? readUrl(trimmed) : readKeywords(trimmed);
  for (const [keyword, value] of Object.entries(defaults)) {
    if (!values.get(keyword) && value) values.set(keyword, value);
  }
  const user = values.get('user') || 'postgres';
  const port = values.get('port') || '5432';
  const timeout = values.get('connect_timeout');
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new ConnectionStringError(`The connection string's port is not a number from 1 to 65535: ${port}`);
  }
  if (timeout !== undefined && !/^\d+$/.test(timeout)) {
    throw new ConnectionStringError(`connect_timeout is not a number of seconds: ${timeout}`);
  }
  return {
    host: values.get('host') || 'localhost',
    port: Number(port),
    user,
    password: values.get('password'),
    database: values.get('dbname') || user,
    sslMode: readSslMode(values.get('sslmode')),
    sslRootCert: values.get('sslrootcert'),
    applicationName: values.get('application_name'),
    options: values.get('options'),
    connectTimeoutMs: timeout === undefined || Number(timeout) === 0 ? undefined : Number(timeout) * 1000,
  };
}

function readSslMode(mode = 'prefer'): SslMode {
  // `allow` asks for TLS only when the server insists; asking first ends at the same place.
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
  if (address.includes(','))
    throw new ConnectionStringError('The connection string names more than one host.');
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(address) ?? [];
  if (bracketed === undefined && plain === '' && address !== '' && port === undefined) {
    throw new ConnectionStringError(`The connection string's host cannot be read: ${address}`);
  }
  values.set('host', bracketed ?? decode(plain));
  if (port !== undefined) values.set('port', port);
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
