/** Writes a connection target as a URI that drivers other than libpq also accept. */
import type { ConnectionTarget, HostAddress } from './connection-string.ts';

/**
 * Returns the URI.
 *
 * @example
 * printConnectionUri(parseConnectionString('host=one,two user=app dbname=app target_session_attrs=primary'))
 * // 'postgresql://app@one:5432,two:5432/app?target_session_attrs=primary'
 */
export function printConnectionUri(target: ConnectionTarget): string {
  const { user, password, database, sessionKind = 'any', sslMode, connectTimeoutMs } = target;
  const hosts = [target as HostAddress, ...(target.otherHosts ?? [])];
  const hasAddresses = hosts.some(({ address }) => address !== undefined);
  const parameters: Readonly<Record<string, string | undefined>> = {
    hostaddr: hasAddresses ? hosts.map(({ address = '' }) => address).join(',') : undefined,
    target_session_attrs: sessionKind === 'any' ? undefined : sessionKind,
    sslmode: sslMode === 'prefer' ? undefined : sslMode,
    sslrootcert: target.sslRootCert,
    sslcert: target.sslCert,
    sslkey: target.sslKey,
    sslpassword: target.sslPassword,
    passfile: target.passwordFile,
    application_name: target.applicationName,
    options: target.options,
    connect_timeout: connectTimeoutMs === undefined ? undefined : String(connectTimeoutMs / 1000),
  };
  const query = Object.entries(parameters).flatMap(([keyword, value]) =>
    value === undefined ? [] : [`${keyword}=${encodeURIComponent(value)}`],
  );
  const login = [user, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(':');
  const address = hosts.map(({ host, port }) => `${printHost(host)}:${port}`).join(',');
  const tail = query.length === 0 ? '' : `?${query.join('&')}`;
  return `postgresql://${login}@${address}/${encodeURIComponent(database)}${tail}`;
}

const printHost = (host: string): string => (host.includes(':') ? `[${host}]` : encodeURIComponent(host));
