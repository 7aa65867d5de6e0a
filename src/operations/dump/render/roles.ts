/** Renders roles, their memberships and settings. The statements don't fail if a role already exists. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { MembershipRow, RoleRow, RoleSettingRow } from '../catalog/roles.ts';
import { list, literal } from '../core/text.ts';

/** Roles that every Plinth database and every database of the hosted service has. */
const reserved =
  /^(anon|authenticated|authenticator|cli_login_.*|dashboard_user|pgbouncer|postgres|service_role|supabase_.*|pg_.*|pgsodium_keyholder|pgsodium_keyiduser|pgsodium_keymaker|pgtle_admin)$/;

export const isProjectRole = (role: string): boolean => !reserved.test(role);

/** The administrators' roles, which become members of the roles that they create. */
const administrators = /^(postgres|supabase_.*)$/;

/** The settings that a project can change for predefined roles, as in upstream's CLI. */
const projectSetting = /^(pgaudit\..*|pgrst\..*|session_replication_role|statement_timeout|track_io_timing)$/;

export interface RolesInput {
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
