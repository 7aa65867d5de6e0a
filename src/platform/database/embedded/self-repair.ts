/**
 * Repairs the roles and settings that Plinth depends on, at startup. The role `postgres` can change the API roles
 * because it has the admin option on them, and can set preload libraries that don't exist.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import type { PostgresErrorShape, Queryable } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';

/**
 * Opens a superuser session. If a database setting refers to a missing preload library, PostgreSQL rejects all
 * connections, so this function removes the setting first.
 */
export async function connectAdmin(target: ConnectionOptions, log: Logger): Promise<Client> {
  try {
    return await Client.connect(target);
  } catch (error) {
    // This SQLSTATE means that a library in local_preload_libraries or session_preload_libraries is missing.
    if ((error as PostgresErrorShape).code !== '58P01') throw error;
    const outside = await Client.connect({ ...target, database: 'template1' });
    try {
      const database = quoteIdentifier(target.database);
      await outside.exec(`alter database ${database} reset local_preload_libraries;
        alter database ${database} reset session_preload_libraries`);
    } finally {
      await outside.connection.close();
    }
    log.warn(
      { service: 'database' },
      `Removed a preload setting of the database ${target.database} because its library is missing and it blocked all connections`,
    );
    return Client.connect(target);
  }
}

interface RoleFacts {
  readonly name: string;
  readonly bypass: boolean;
  readonly login: boolean;
  readonly inherit: boolean;
  /**
   * Whether the role has REPLICATION and the project can use the role, because it is `postgres` or `postgres` can
   * switch to it.
   */
  readonly lentReplication: boolean;
  /** The role's settings that specify preload libraries, in the format `role SET name=value`. */
  readonly preload: readonly string[];
}

/** The attributes that RLS and the services depend on. Projects can change the other attributes. */
const required: Readonly<Record<string, Pick<RoleFacts, 'bypass' | 'login' | 'inherit'>>> = {
  anon: { bypass: false, login: false, inherit: true },
  authenticated: { bypass: false, login: false, inherit: true },
  service_role: { bypass: true, login: false, inherit: true },
  authenticator: { bypass: false, login: true, inherit: false },
};

/**
 * Repairs the roles and logs a warning for each repair. Requires a superuser session. `replication` specifies whether
 * `postgres` is allowed to have and grant REPLICATION.
 */
export async function repairRoles(
  session: Queryable,
  log: Logger,
  { replication }: { readonly replication: boolean },
): Promise<void> {
  const found = await session.query<RoleFacts>(sql`
    select r.rolname::text as name, r.rolbypassrls as bypass, r.rolcanlogin as login, r.rolinherit as inherit,
      r.rolreplication and not r.rolsuper and pg_catalog.pg_has_role('postgres', r.oid, 'member') as "lentReplication",
      coalesce((
        select array_agg(setting) from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) as setting
        where s.setrole = r.oid and setting ~ '^(local|session)_preload_libraries='
      ), '{}') as preload
    from pg_catalog.pg_roles r
    where r.rolname !~ '^pg_'`);
  const warn = (message: string) => log.warn({ service: 'database' }, message);
  for (const [name, expected] of Object.entries(required)) {
    const facts = found.find((role) => role.name === name);
    const role = quoteIdentifier(name);
    if (facts === undefined) {
      await session.exec(
        `create role ${role}; ${name === 'authenticator' ? '' : `grant ${role} to authenticator`}`,
      );
      warn(`The role ${name} was missing and has been created again. Grant its privileges again`);
    } else if (
      facts.bypass === expected.bypass &&
      facts.login === expected.login &&
      facts.inherit === expected.inherit
    ) {
      continue;
    } else {
      warn(`The role ${name} didn't have the attributes that the services require, so they were restored`);
    }
    await session.exec(
      `alter role ${role} ${expected.bypass ? '' : 'no'}bypassrls ${expected.login ? '' : 'no'}login ${expected.inherit ? '' : 'no'}inherit`,
    );
  }
  await setReplication(session, found, replication, warn);
  for (const { name, preload } of found) {
    for (const setting of preload) {
      const parameter = setting.slice(0, setting.indexOf('='));
      await session.exec(`alter role ${quoteIdentifier(name)} reset ${parameter}`);
      warn(
        `The setting ${setting} of the role ${name} was removed, because the role couldn't log in with it`,
      );
    }
  }
}

/**
 * Grants or revokes REPLICATION. A role with REPLICATION can load a library from any path, so a project's roles have
 * REPLICATION only if the project's settings allow it.
 */
async function setReplication(
  session: Queryable,
  roles: readonly RoleFacts[],
  replication: boolean,
  warn: (message: string) => void,
): Promise<void> {
  if (replication) {
    await session.exec('alter role postgres replication');
    return;
  }
  for (const { name } of roles.filter(({ lentReplication }) => lentReplication)) {
    await session.exec(`alter role ${quoteIdentifier(name)} noreplication`);
    warn(`REPLICATION was removed from the role ${name}, because [database] replication is off`);
  }
}
