/**
 * Chooses one of the hosts in a connection string. Selects the first host that accepts the login and provides the
 * requested kind of session, in the given order (PostgreSQL documentation, 32.1.1.3 and `target_session_attrs`).
 */
import type { SessionKind } from './connection-string.ts';
import { ConnectionError } from './errors.ts';
import type { ConnectionOptions } from './exchange.ts';

/**
 * Connects to the first suitable host. The callback `open` connects to one host and rejects sessions of a different
 * kind. If a host is unreachable, is starting up or provides a different kind of session, the next host is tried. As in
 * libpq, no other host is tried if a host rejects the login.
 */
export async function openFirst<Connection>(
  options: ConnectionOptions,
  open: (options: ConnectionOptions) => Promise<Connection>,
): Promise<Connection> {
  const { otherHosts = [], sessionKind = 'any' } = options;
  if (otherHosts.length === 0 && sessionKind !== 'prefer-standby') return open(options);
  const kinds: readonly SessionKind[] = sessionKind === 'prefer-standby' ? ['standby', 'any'] : [sessionKind];
  const failures: ConnectionError[] = [];
  for (const kind of kinds) {
    for (const { host, port, address } of [options, ...otherHosts]) {
      try {
        return await open({ ...options, host, port, address, sessionKind: kind });
      } catch (error) {
        if (!triesNextHost(error)) throw error;
        failures.push(error);
      }
    }
  }
  const message = [...new Set(failures.map((error) => error.message))].join('; ');
  throw new ConnectionError({ code: '08001', message, untouched: true }, { cause: failures[0] });
}

/** Whether the next host should be tried because this host is unreachable (08001) or starting up (57P03). */
const triesNextHost = (error: unknown): error is ConnectionError =>
  error instanceof ConnectionError && (error.code === '08001' || error.code === '57P03');

/**
 * Whether the session is of the given kind. `parameters` contains the parameters that the server has reported.
 * PostgreSQL 14 and newer report the two parameters that this function reads.
 */
export function isOfKind(kind: SessionKind, parameters: ReadonlyMap<string, string>): boolean {
  const isStandby = parameters.get('in_hot_standby') === 'on';
  const isReadOnly = isStandby || parameters.get('default_transaction_read_only') === 'on';
  switch (kind) {
    case 'any':
    case 'prefer-standby':
      return true;
    case 'read-write':
      return !isReadOnly;
    case 'read-only':
      return isReadOnly;
    case 'primary':
      return !isStandby;
    case 'standby':
      return isStandby;
  }
}
