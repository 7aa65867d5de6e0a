import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { list, literal } from '../core/text.ts';
import type { CatalogSession } from '../types.ts';

interface RoleRow {
  readonly name: string;
  readonly attributes: string[];
  readonly connectionLimit: number;
  readonly validUntil: string | null;
  readonly comment: string | null;
}

export const readRoles = ({ query }: CatalogSession): Promise<RoleRow[]> =>
  query(sql`
    select r.rolname::text as name,
      array_remove(array[
        case when not rolinherit then 'NOINHERIT' end,
        case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end,
        case when rolcanlogin then 'LOGIN' end,
        case when rolbypassrls then 'BYPASSRLS' end], null) as attributes,
      rolconnlimit as "connectionLimit", rolvaliduntil::text as "validUntil",
      shobj_description(r.oid, 'pg_authid') as comment
    from pg_roles r
    where r.rolname !~ '^pg_'
    order by 1`);

interface MembershipRow {
  readonly role: string;
  readonly member: string;
  readonly options: string[];
}

export const readMemberships = ({ query, serverVersion }: CatalogSession): Promise<MembershipRow[]> =>
  query(sql`
    select r.rolname::text as role, m.rolname::text as member,
      array_remove(array[case when bool_or(admin_option) then 'ADMIN OPTION' end
        ${sql.raw(serverVersion >= 160_000 ? ", case when bool_or(inherit_option) <> m.rolinherit then 'INHERIT ' || upper(bool_or(inherit_option)::text) end, case when not bool_or(set_option) then 'SET FALSE' end" : '')}
      ], null) as options
    from pg_auth_members am join pg_roles r on r.oid = am.roleid join pg_roles m on m.oid = am.member
    group by r.rolname, m.rolname, m.rolinherit
    order by 1, 2`);

interface RoleSettingRow {
  readonly role: string;
  readonly name: string;
  readonly value: string;
  /** Whether the value is a list of names, which must be quoted separately. */
  readonly isList: boolean;
}

/**
 * Returns the settings of roles in all databases, without settings of databases and without settings of roles in a
 * single database.
 */
export const readRoleSettings = ({ query }: CatalogSession): Promise<RoleSettingRow[]> =>
  query(sql`
    select r.rolname::text as role, split_part(setting, '=', 1) as name,
      substr(setting, strpos(setting, '=') + 1) as value,
      split_part(setting, '=', 1) in ('search_path', 'temp_tablespaces', 'session_preload_libraries', 'local_preload_libraries',
        'unix_socket_directories') as "isList"
    from pg_db_role_setting s
    cross join unnest(setconfig) with ordinality as c(setting, position)
    join pg_roles r on r.oid = setrole
    where setdatabase = 0
    order by r.rolname, position`);

/** The roles to which Plinth and the hosted service grant privileges on new objects by default. */
export const readApiRoles = async ({ query }: CatalogSession): Promise<string[]> => {
  const rows = await query<{ name: string }>(
    sql`select rolname::text as name from pg_roles where rolname in ('anon', 'authenticated', 'service_role') order by 1`,
  );
  return rows.map(({ name }) => name);
};

export interface CronJobRow {
  readonly name: string | null;
  readonly schedule: string;
  readonly command: string;
  readonly isActive: boolean;
}

/** The pg_cron jobs for this database. Returns no rows if the extension isn't installed. */
export async function readCronJobs({ query }: CatalogSession): Promise<CronJobRow[]> {
  const [found] = await query<{ exists: boolean }>(sql`select to_regclass('cron.job') is not null as exists`);
  if (found?.exists !== true) return [];
  return await query(sql`
    select jobname::text as name, schedule, command, active as "isActive" from cron.job
    where database = current_database()
    order by jobid`);
}

/** Roles that every Plinth database and every database of the hosted service has. */
const reserved =
  /^(anon|authenticated|authenticator|cli_login_.*|dashboard_user|pgbouncer|postgres|service_role|supabase_.*|pg_.*|pgsodium_keyholder|pgsodium_keyiduser|pgsodium_keymaker|pgtle_admin)$/;

export const isProjectRole = (role: string): boolean => !reserved.test(role);

/** The administrators' roles, which become members of the roles that they create. */
const administrators = /^(postgres|supabase_.*)$/;

/** The settings that a project can change for predefined roles, as in upstream's CLI. */
const projectSetting = /^(pgaudit\..*|pgrst\..*|session_replication_role|statement_timeout|track_io_timing)$/;

interface RolesInput {
  readonly roles: readonly RoleRow[];
  readonly memberships: readonly MembershipRow[];
  readonly settings: readonly RoleSettingRow[];
}

/**
 * Returns the statements for roles, memberships and settings. Passwords and attributes that require a superuser are
 * omitted.
 */
export function roleStatements({ roles, memberships, settings }: RolesInput): string[] {
  const isOwn = isProjectRole;
  return [
    ...roles.filter(({ name }) => isOwn(name)).flatMap(roleDefinition),
    ...memberships
      .filter(({ role, member }) => (isOwn(role) || isOwn(member)) && !administrators.test(member))
      .map(
        ({ role, member, options }) =>
          `GRANT ${quoteIdentifier(role)} TO ${quoteIdentifier(member)}` +
          (options.length === 0 ? '' : ` WITH ${list(options)}`),
      ),
    ...settings.filter(({ role, name }) => isOwn(role) || projectSetting.test(name)).map(settingStatement),
  ];
}

function roleDefinition(role: RoleRow): string[] {
  const name = quoteIdentifier(role.name);
  const clauses = [
    ...role.attributes,
    ...(role.connectionLimit === -1 ? [] : [`CONNECTION LIMIT ${role.connectionLimit}`]),
    ...(role.validUntil === null ? [] : [`VALID UNTIL ${literal(role.validUntil)}`]),
  ];
  return [
    `DO $$BEGIN CREATE ROLE ${name}; EXCEPTION WHEN duplicate_object THEN NULL; END$$`,
    ...(clauses.length === 0 ? [] : [`ALTER ROLE ${name} WITH ${clauses.join(' ')}`]),
    ...(role.comment === null ? [] : [`COMMENT ON ROLE ${name} IS ${literal(role.comment)}`]),
  ];
}

function settingStatement({ role, name, value, isList }: RoleSettingRow): string {
  const parameter = name.split('.').map(quoteIdentifier).join('.');
  return `ALTER ROLE ${quoteIdentifier(role)} SET ${parameter} TO ${isList ? nameList(value) : literal(value)}`;
}

/** PostgreSQL stores a list in the form `"$user", public`. The elements of the list are quoted names or bare names. */
const nameList = (value: string): string =>
  list(
    (value.match(/"(?:[^"]|"")*"|[^,\s][^,]*/g) ?? ['']).map((element) => {
      const text = element.trim();
      return literal(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    }),
  );
