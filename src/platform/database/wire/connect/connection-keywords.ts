/**
 * The connection keywords that libpq has (PostgreSQL 18 documentation, 32.1.2) and the values that this client
 * supports.
 */
import { ConnectionStringError } from '../errors.ts';

/** Keywords that this client supports and that determine the connection. */
const supported: readonly string[] = [
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'service', 'servicefile'],
  ...[
    'sslmode',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'sslpassword',
    'connect_timeout',
    'target_session_attrs',
  ],
  ...['application_name', 'fallback_application_name', 'options'],
];

/**
 * Keywords that this client accepts but ignores, because they only tune the connection or apply to authentication
 * methods that this client doesn't support.
 */
const ignored: readonly string[] = [
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['client_encoding', 'sslcompression', 'sslsni', 'sslkeylogfile', 'load_balance_hosts'],
  ...['krbsrvname', 'gsslib', 'gssdelegation', 'min_protocol_version', 'max_protocol_version'],
];

/**
 * Keywords that require or restrict encryption or authentication. Only the listed values are accepted, because this
 * client always satisfies these requirements.
 */
const limited: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['prefer', 'disable'],
  gssencmode: ['prefer', 'disable'],
  require_auth: [],
  requirepeer: [],
  requiressl: ['0'],
  replication: ['false', 'off', 'no', '0'],
  sslcertmode: ['allow'],
  sslcrl: [],
  sslcrldir: [],
  sslnegotiation: ['postgres'],
  ssl_min_protocol_version: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  ssl_max_protocol_version: ['TLSv1.3'],
  scram_client_key: [],
  scram_server_key: [],
  oauth_issuer: [],
  oauth_client_id: [],
  oauth_client_secret: [],
  oauth_scope: [],
};

/**
 * Checks the keywords and their values.
 * @throws {ConnectionStringError} if libpq doesn't have a keyword, or if this client doesn't support a value
 */
export function checkKeywords(values: ReadonlyMap<string, string>): void {
  for (const [keyword, value] of values) {
    if (supported.includes(keyword) || ignored.includes(keyword)) continue;
    const accepted = limited[keyword];
    if (accepted === undefined) {
      throw new ConnectionStringError(`The connection string has an unknown parameter: ${keyword}`);
    }
    if (value !== '' && !accepted.includes(value)) {
      throw new ConnectionStringError(
        `The connection string's parameter isn't supported: ${keyword}=${value}`,
      );
    }
  }
}
