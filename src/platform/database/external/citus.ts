/**
 * Prepares a Citus cluster (docs/decisions/0105-citus.md). Citus opens its connections to the workers as the role that
 * the session has switched to, so the roles of requests must exist on the workers and be able to sign in there.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../types.ts';
import type { Client } from '../wire/index.ts';

/**
 * The settings of sessions that apply Plinth's own SQL files. The objects in these files belong to the coordinator, and
 * Citus would otherwise create them on the workers as roles that can't sign in there.
 */
export const coordinatorOnly: Readonly<Record<string, string>> = { 'citus.enable_ddl_propagation': 'off' };

/** The roles that requests can have and that can't sign in. Citus passes ALTER ROLE on to the workers that have the role. */
const selectLogins = sql`
  select pg_catalog.format('alter role %I login', r.rolname) as statement
  from pg_catalog.pg_roles r
  where not r.rolcanlogin and exists (
    select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles a on a.oid = m.member
    where m.roleid = r.oid and a.rolname = 'authenticator')
  order by 1`;

/**
 * The functions that policies call and that the workers don't have. Citus creates such functions only for policies that
 * exist when a table is distributed. With a function, it creates the schema `auth` and all roles that may use it.
 */
const selectFunctions = sql`
  select pg_catalog.format('select pg_catalog.create_distributed_function(%L)', p.oid::pg_catalog.regprocedure)
    as statement
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'auth' and p.proname in ('uid', 'role', 'email', 'jwt') and p.pronargs = 0
    and not exists (select from pg_catalog.pg_dist_object o
      where o.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and o.objid = p.oid)
  order by 1`;

/**
 * Lets the roles of requests sign in, and creates them and the functions that policies call on the workers. `connect`
 * opens a session of the account in the URL, in which Citus passes changes on to the workers. If that account isn't
 * permitted to make the changes, the preflight reports the statements.
 */
export async function prepareWorkers(
  session: Client,
  connect: () => Promise<Client>,
  log: Logger,
): Promise<void> {
  const statements: string[] = [];
  for (const select of [selectLogins, selectFunctions])
    for (const { statement } of await session.query<{ statement: string }>(select))
      statements.push(statement);
  if (statements.length === 0) return;
  const client = await connect();
  try {
    for (const statement of statements) {
      await client.exec(statement).catch((error: unknown) => {
        log.warn(
          { service: 'database', error, statement },
          'A statement that prepares the workers of Citus failed',
        );
      });
    }
  } finally {
    await client.connection.close();
  }
}

/** The properties of a Citus cluster that requests depend on. */
export interface CitusFacts {
  readonly version: string;
  readonly isCoordinator: boolean;
  readonly workers: number;
  /** Whether Citus is set to convert changes but PostgreSQL doesn't load Citus's decoders. */
  readonly lacksDecoders: boolean;
  /** The roles of requests that can't sign in on this number of workers. */
  readonly rejected: readonly { readonly role: string; readonly workers: number }[];
}

/** Returns undefined if the database doesn't use Citus. Switches the role inside the transaction of `session`. */
export async function readCitus(session: Queryable): Promise<CitusFacts | undefined> {
  const [extension] = await session.query<{ version: string }>(
    sql`select extversion as version from pg_catalog.pg_extension where extname = 'citus'`,
  );
  if (extension === undefined) return undefined;
  const [node] = await session.query<Omit<CitusFacts, 'rejected'> & { roles: string[] | null }>(sql`
    select ${extension.version} as version, (select groupid = 0 from pg_catalog.pg_dist_local_group) as "isCoordinator",
      (select count(*)::int from pg_catalog.pg_dist_node where groupid <> 0 and isactive and noderole = 'primary')
        as workers,
      -- A role without access to the setting doesn't get a row.
      coalesce((select current_setting('citus.enable_change_data_capture', true) = 'on'
          and s.setting not like '%citus_decoders%'
        from pg_catalog.pg_settings s where s.name = 'dynamic_library_path'), false) as "lacksDecoders",
      (select json_agg(r.rolname order by r.rolname) from pg_catalog.pg_roles r
        where r.rolname in ('anon', 'authenticated', 'service_role')
          and pg_catalog.pg_has_role(r.oid, 'member')) as roles`);
  if (node === undefined) return undefined;
  const { roles, ...facts } = node;
  const rejected: { role: string; workers: number }[] = [];
  for (const role of facts.isCoordinator && facts.workers > 0 ? (roles ?? []) : []) {
    await session.exec(`set local role ${quoteIdentifier(role)}`);
    const [found] = await session.query<{ count: number }>(
      sql`select count(*)::int as count from pg_catalog.run_command_on_workers('select 1') where not success`,
    );
    await session.exec('reset role');
    if (found !== undefined && found.count > 0) rejected.push({ role, workers: found.count });
  }
  return { ...facts, rejected };
}
