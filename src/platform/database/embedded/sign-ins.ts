/**
 * Opens sessions on the embedded server. Plinth signs in as each of its roles with a separate password. A project's SQL
 * can change these passwords, because `postgres` can act as the service roles. If a sign-in is rejected, Plinth resets
 * the password. For a project's own role, Plinth creates a temporary login.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { applyPasswords } from '../logins/apply.ts';
import { type Logins, ownLoginRoles } from '../logins/passwords.ts';
import { ownSessionSettings, superuserSettings } from '../superuser.ts';
import type { LoginRole } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { lendLogin } from './lent-login.ts';

/** The connection details of a running cluster that was started by this process or another process. */
export interface ReachedCluster {
  /** The socket folder. The value is null if connections use TCP. */
  readonly socketDir: string | null;
  readonly host: string;
  readonly port: number;
  readonly logins: Logins;
}

export interface SignIns {
  readonly target: (role: LoginRole) => ConnectionOptions;
  /**
   * Returns the connection options for any role in any database of the server.
   * @throws if the role isn't allowed to sign in
   */
  readonly targetOf: (role: string, database: string) => Promise<ConnectionOptions>;
}

/** Returns the connection options for one of Plinth's roles. */
export function clusterTarget(
  { socketDir, host, port, logins }: ReachedCluster,
  role: string,
  database: string,
): ConnectionOptions {
  return {
    host: socketDir ?? host,
    port,
    user: role,
    password: logins.password(role),
    database,
    sslMode: 'disable',
    applicationName: 'plinth',
    ...parametersOf(role),
  };
}

/**
 * Returns the settings for a role's sessions. If the project's roles can't switch to this role, its sessions start with
 * Plinth's settings, regardless of the project's database settings.
 */
function parametersOf(role: string): Pick<ConnectionOptions, 'parameters'> {
  if (role === 'supabase_admin') return { parameters: { ...superuserSettings(180_000), role: 'none' } };
  if (role === 'supabase_replication_admin') return { parameters: { ...ownSessionSettings, role: 'none' } };
  return {};
}

export function signInsOf(cluster: ReachedCluster, database: string, log: Logger): SignIns {
  const asSuperuser = async <T>(work: (session: Client) => Promise<T>): Promise<T> => {
    const session = await Client.connect(clusterTarget(cluster, 'supabase_admin', database));
    try {
      return await work(session);
    } finally {
      await session.connection.close();
    }
  };
  let repairing: Promise<void> | undefined;
  const repair = (): Promise<void> => {
    repairing ??= asSuperuser((session) => applyPasswords(session, cluster.logins)).finally(() => {
      repairing = undefined;
      log.warn(
        { service: 'database' },
        "Reset the password of one of Plinth's login roles because it had been changed",
      );
    });
    return repairing;
  };
  const own = (role: string, name: string): ConnectionOptions => ({
    ...clusterTarget(cluster, role, name),
    ...(role === 'supabase_admin' ? {} : { onPasswordRejected: repair }),
  });
  return {
    target: (role) => own(role, database),
    async targetOf(role, name) {
      if (role === 'postgres' || ownLoginRoles.includes(role)) return own(role, name);
      const { user, password, parameters } = await asSuperuser((session) =>
        lendLogin(session, cluster.logins, role, name),
      );
      return { ...clusterTarget(cluster, role, name), user, password, parameters };
    },
  };
}
