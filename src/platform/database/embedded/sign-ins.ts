/**
 * Opens sessions on the embedded server. Plinth signs in as each of its roles with a separate password. A project's SQL
 * can change these passwords, because `postgres` can act as the service roles. If a sign-in is rejected, Plinth resets
 * the password. For a project's own role, Plinth creates a temporary login.
 *
 * Creates a temporary login with which Plinth can act as a role of the project, because Plinth doesn't have the role's
 * password. The temporary login role has only the privilege to switch to the project's role. If Plinth signed in as a
 * more powerful role instead, SQL in the session could switch back to the more powerful role and use its privileges.
 * Switching back to the temporary login role gives no additional privileges. The password of the login role expires
 * after a short time, because SQL in the session could change the password.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { quoteIdentifier, quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import { applyPasswords, type Logins, ownLoginRoles } from '../logins.ts';
import { ownSessionSettings, superuserSettings } from '../superuser.ts';
import type { LoginRole, Queryable } from '../types.ts';
import { Client, type ConnectionOptions, PostgresError } from '../wire/index.ts';

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

interface LentLogin {
  readonly user: string;
  readonly password: string;
  /** The settings that would apply if the project's role itself signed in. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface RoleFacts {
  oid: number;
  mayLogIn: boolean;
  superuser: boolean;
}

const validSeconds = 60;

/**
 * Creates the login. `session` must be a session of a superuser.
 * @throws {PostgresError} if the role isn't allowed to sign in
 */
async function lendLogin(
  session: Queryable,
  logins: Logins,
  role: string,
  database: string,
): Promise<LentLogin> {
  const [facts] = await session.query<RoleFacts>(sql`
    select oid::int8::int4 as oid, rolcanlogin as "mayLogIn", rolsuper as superuser
    from pg_catalog.pg_roles where rolname = ${role}`);
  if (facts === undefined) throw rejection(`role "${role}" does not exist`);
  if (!facts.mayLogIn || facts.superuser) throw rejection(`role "${role}" is not permitted to log in`);
  const settings = await session.query<{ name: string; value: string }>(sql`
    select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    cross join unnest(s.setconfig) as setting
    left join pg_catalog.pg_settings known on known.name = lower(split_part(setting, '=', 1))
    where s.setrole = (select oid from pg_catalog.pg_roles where rolname = ${role})
      and (s.setdatabase = 0 or d.datname = ${database})
      and coalesce(known.context, 'user') = 'user'
    order by s.setdatabase`);
  const user = `plinth_as_${facts.oid}`;
  await session.exec(`do ${quoteLiteral(preparation(user, role, logins.verifier(user)))}`);
  return {
    user,
    password: logins.password(user),
    parameters: { ...Object.fromEntries(settings.map(({ name, value }) => [name, value])), role },
  };
}

/**
 * Returns the statements that prepare the temporary login. The statements acquire a lock because another process may be
 * preparing the same login.
 */
function preparation(user: string, role: string, verifier: string): string {
  const name = quoteIdentifier(user);
  return `begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext(${quoteLiteral(user)}));
  set local pg_stat_statements.track_utility = off;
  if not exists (select from pg_catalog.pg_roles where rolname = ${quoteLiteral(user)}) then
    create role ${name};
  end if;
  execute pg_catalog.format(
    'alter role ${name} login noinherit password %L valid until %L', ${quoteLiteral(verifier)},
    pg_catalog.clock_timestamp() + interval '${validSeconds} seconds');
  grant ${quoteIdentifier(role)} to ${name} with inherit false, set true;
end`;
}

function rejection(message: string): PostgresError {
  return new PostgresError({ code: '28000', severity: 'FATAL', message });
}
