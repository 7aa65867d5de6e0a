/**
 * Moves roles with their attributes, verifiers, memberships and grantors, settings, and privileges on parameters. Until
 * the upgrade ends, roles sign in with a temporary password.
 */

import { quoteIdentifier, quoteLiteral, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

interface RoleRow {
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly attributes: string;
  readonly canLogin: boolean;
  readonly verifier: string | null;
  readonly connectionLimit: number;
  readonly validUntil: string | null;
  readonly comment: string | null;
  readonly labels: { provider: string; label: string }[];
}

interface MembershipRow {
  readonly role: string;
  readonly member: string;
  readonly grantor: string | null;
  readonly options: string[];
}

export interface SettingRow {
  readonly role: string | null;
  readonly database: string | null;
  readonly name: string;
  readonly value: string;
}

export interface Roles {
  readonly roles: readonly RoleRow[];
  readonly memberships: readonly MembershipRow[];
  readonly settings: readonly SettingRow[];
  readonly parameters: readonly { readonly statement: string }[];
}

/** The bootstrap superuser of a cluster that Plinth created. */
const bootstrapRole = 'supabase_admin';

export async function readRoles(session: CopySession): Promise<Roles> {
  const since16 = session.serverVersion >= 160_000;
  return {
    roles: await session.query<RoleRow>(sql`
      select rolname::text as name, rolsuper as "isSuperuser", rolcanlogin as "canLogin", rolpassword as verifier,
        concat_ws(' ', case when rolsuper then 'SUPERUSER' else 'NOSUPERUSER' end,
          case when rolinherit then 'INHERIT' else 'NOINHERIT' end, case when rolcreaterole then 'CREATEROLE' else 'NOCREATEROLE' end,
          case when rolcreatedb then 'CREATEDB' else 'NOCREATEDB' end, case when rolreplication then 'REPLICATION' else 'NOREPLICATION' end,
          case when rolbypassrls then 'BYPASSRLS' else 'NOBYPASSRLS' end) as attributes,
        rolconnlimit as "connectionLimit", rolvaliduntil::text as "validUntil", shobj_description(oid, 'pg_authid') as comment,
        coalesce((select json_agg(json_build_object('provider', provider, 'label', label)) from pg_shseclabel
          where classoid = 'pg_authid'::regclass and objoid = a.oid), '[]') as labels
      from pg_authid a where rolname !~ '^pg_' order by 1`),
    memberships: await session.query<MembershipRow>(sql`
      select pg_get_userbyid(roleid)::text as role, pg_get_userbyid(member)::text as member,
        (select rolname::text from pg_authid g where g.oid = grantor) as grantor,
        array_remove(array[case when admin_option then 'ADMIN OPTION' end
          ${sql.raw(since16 ? ", 'INHERIT ' || upper(inherit_option::text), 'SET ' || upper(set_option::text)" : '')}], null) as options
      from pg_auth_members order by 1, 2, 3`),
    settings: await session.query<SettingRow>(sql`
      select r.rolname::text as role, d.datname::text as database, split_part(setting, '=', 1) as name,
        substr(setting, strpos(setting, '=') + 1) as value
      from pg_db_role_setting s cross join unnest(setconfig) with ordinality as c(setting, position)
      left join pg_authid r on r.oid = setrole left join pg_database d on d.oid = setdatabase
      order by 1, 2, position`),
    parameters: await session.query<{ statement: string }>(sql`
      select format('GRANT %s ON PARAMETER %I TO %s%s', privilege_type, parname,
        case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end,
        case when is_grantable then ' WITH GRANT OPTION' else '' end) as statement
      from pg_parameter_acl, aclexplode(paracl) where grantee <> 10 order by 1`),
  };
}

/**
 * Creates the roles. All of them can sign in with `password`, because each table is filled in a session of the table's
 * owner.
 */
export async function createRoles(
  target: CopySession,
  { roles, memberships }: Roles,
  password: string,
): Promise<void> {
  for (const { name, attributes, comment, labels } of roles) {
    const role = quoteIdentifier(name);
    if (name !== bootstrapRole)
      await target.exec(`create role ${role} with ${attributes} login password ${quoteLiteral(password)}`);
    if (comment !== null) await target.exec(`comment on role ${role} is ${quoteLiteral(comment)}`);
    for (const { provider, label } of labels)
      await target
        .exec(`security label for ${quoteIdentifier(provider)} on role ${role} is ${quoteLiteral(label)}`)
        .catch(() => undefined);
  }
  await grantMemberships(target, memberships);
}

/**
 * Grants the memberships. Since PostgreSQL 16, the grantor of a membership must have the admin option, so failed grants
 * are retried until no more of them succeed. The superuser grants the remaining memberships.
 */
async function grantMemberships(target: CopySession, memberships: readonly MembershipRow[]): Promise<void> {
  let waiting = [...memberships];
  const grant = async (row: MembershipRow, grantor: string | null): Promise<void> => {
    const options = row.options.length === 0 ? '' : ` with ${row.options.join(', ')}`;
    const by = grantor === null || grantor === bootstrapRole ? '' : ` granted by ${quoteIdentifier(grantor)}`;
    await target.exec(`grant ${quoteIdentifier(row.role)} to ${quoteIdentifier(row.member)}${options}${by}`);
  };
  for (let before = -1; waiting.length > 0 && waiting.length !== before; ) {
    before = waiting.length;
    const failed: MembershipRow[] = [];
    for (const row of waiting) await grant(row, row.grantor).catch(() => failed.push(row));
    waiting = failed;
  }
  for (const row of waiting) await grant(row, null);
}

/** Sets the remaining role properties, which would have affected the sessions that moved the data. Returns warnings. */
export async function finishRoles(
  target: CopySession,
  { roles, settings, parameters }: Roles,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { name, canLogin, verifier, connectionLimit, validUntil } of roles) {
    if (name === bootstrapRole) continue;
    const clauses = [
      canLogin ? 'LOGIN' : 'NOLOGIN',
      `PASSWORD ${verifier === null ? 'NULL' : quoteLiteral(verifier)}`,
      `CONNECTION LIMIT ${connectionLimit}`,
      ...(validUntil === null ? [] : [`VALID UNTIL ${quoteLiteral(validUntil)}`]),
    ];
    await target.exec(`alter role ${quoteIdentifier(name)} with ${clauses.join(' ')}`);
  }
  const attempt = async (statement: string): Promise<void> => {
    await target
      .exec(statement)
      .catch((error: Error) => warnings.push(`${statement.slice(0, 200)}: ${error.message}`));
  };
  for (const setting of settings) await attempt(settingStatement(setting));
  for (const { statement } of parameters) await attempt(statement);
  return warnings;
}

/**
 * Sets the superuser's verifier. This must be the last statement, because the superuser signs in with a temporary
 * password until then. The session settings keep the verifier out of logs and statistics.
 */
export async function finishSuperuser(target: CopySession, { roles }: Roles): Promise<void> {
  const verifier = roles.find(({ name }) => name === bootstrapRole)?.verifier ?? null;
  const text = verifier === null ? 'NULL' : quoteLiteral(verifier);
  await target.exec(`set local pg_stat_statements.track_utility = off; set local log_statement = 'none';
    set local log_min_duration_statement = -1; alter role ${bootstrapRole} password ${text}`);
}

/** The settings whose value is a list of names. */
const lists = new Set([
  'search_path',
  'temp_tablespaces',
  'session_preload_libraries',
  'local_preload_libraries',
  'unix_socket_directories',
]);

function settingStatement({ role, database, name, value }: SettingRow): string {
  const target =
    role === null
      ? `DATABASE ${quoteIdentifier(database as string)}`
      : `ROLE ${quoteIdentifier(role)}${database === null ? '' : ` IN DATABASE ${quoteIdentifier(database)}`}`;
  const parameter = name.split('.').map(quoteIdentifier).join('.');
  return `ALTER ${target} SET ${parameter} TO ${lists.has(name) ? namesOf(value) : quoteLiteral(value)}`;
}

/** Returns the names in a list, which PostgreSQL stores as `"$user", public`. */
const namesOf = (value: string): string =>
  (value.match(/"(?:[^"]|"")*"|[^,\s][^,]*/g) ?? ['""'])
    .map((element) => element.trim())
    .map((text) => quoteLiteral(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text))
    .join(', ');

/** Returns the search path that a role's sessions have in a database. */
export function searchPathOf({ settings }: Roles, role: string, database: string): string | undefined {
  const paths = settings.filter(({ name }) => name === 'search_path');
  const find = (ofRole: string | null, ofDatabase: string | null): string | undefined =>
    paths.find((row) => row.role === ofRole && row.database === ofDatabase)?.value;
  return find(role, database) ?? find(role, null) ?? find(null, database);
}

/** Superusers own only objects that no project can change. */
export const isSuperuser = ({ roles }: Roles, role: string): boolean =>
  roles.some(({ name, isSuperuser }) => name === role && isSuperuser);
