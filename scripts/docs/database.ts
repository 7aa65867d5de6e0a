/**
 * Generates sections 3 and 6 of the specification. The tables and roles are read from the catalog of a migrated
 * database.
 */

import { sql } from '../../src/base/kernel/sql.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { code, table } from './markdown.ts';

interface ColumnRow {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly required: boolean;
  readonly key: string | null;
}

const columnsQuery = `
select n.nspname as schema, c.relname as table, a.attname as column,
  format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
  (select string_agg(case k.contype
      when 'p' then 'primary'
      when 'u' then 'unique'
      else 'references ' || k.confrelid::regclass::text end, ', ' order by k.contype desc, k.conname)
    from pg_constraint k
    where k.conrelid = c.oid and a.attnum = any (k.conkey) and k.contype in ('p', 'u', 'f')) as key
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition
order by array_position($1::text[], n.nspname::text), c.relname collate "C", a.attnum`;

const schemas = [
  'auth',
  'storage',
  'realtime',
  'net',
  'vault',
  'supabase_functions',
  'supabase_migrations',
  '_plinth',
];

export async function entitiesBlock(database: Database): Promise<string> {
  const rows = await database
    .pool('supabase_admin')
    .query<ColumnRow>(sql`${sql.raw(columnsQuery.replaceAll('$1', `'{${schemas.join(',')}}'::text[]`))}`);
  const byTable = Map.groupBy(rows, (row) => `${row.schema}.${row.table}`);
  return [...byTable]
    .map(([name, columns]) => {
      const lines = columns.map(({ column, type, required, key }) => [
        code(column),
        type,
        required ? 'yes' : '',
        key ?? '',
      ]);
      return `#### ${name}\n\n${table(['Column', 'Type', 'Not null', 'Key'], lines)}`;
    })
    .join('\n\n');
}

interface RoleRow {
  readonly name: string;
  readonly login: boolean;
  readonly inherits: boolean;
  readonly attributes: string;
  readonly member_of: string;
}

/** Selects the roles that Plinth creates. PostgreSQL's predefined roles and the bootstrap superuser are excluded. */
const rolesQuery = `
select r.rolname as name, r.rolcanlogin as login, r.rolinherit as inherits,
  concat_ws(', ', case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypasses RLS' end,
    case when r.rolcreaterole then 'creates roles' end, case when r.rolcreatedb then 'creates databases' end,
    case when r.rolreplication then 'replication' end) as attributes,
  coalesce((select string_agg(g.rolname || case when m.inherit_option then '' else ' (by SET ROLE)' end, ', '
      order by g.rolname collate "C")
    from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid), '') as member_of
from pg_roles r
where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator', 'postgres')
  or r.rolname ~ '^(supabase_|dashboard_user|pgbouncer$)'
order by r.rolname collate "C"`;

export async function databaseRolesBlock(database: Database): Promise<string> {
  const rows = await database.pool('supabase_admin').query<RoleRow>(sql`${sql.raw(rolesQuery)}`);
  return table(
    ['Role', 'Can log in', 'Inherits', 'Attributes', 'Member of'],
    rows.map(({ name, login, inherits, attributes, member_of: memberOf }) => [
      code(name),
      login ? 'yes' : 'no',
      inherits ? 'yes' : 'no',
      attributes,
      memberOf,
    ]),
  );
}
