/** Queries the catalogs for a role's privileges and policies. All names are quoted for SQL where needed. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Privilege, RequiredPrivileges } from './required-privileges.ts';

export interface MissingRow {
  kind: 'schema' | 'relation' | 'sequence' | 'routine';
  /** The name with its schema, quoted for SQL. The name of a function includes its parameters. */
  name: string;
  /** The missing privilege. Set only if the object is a relation. */
  privilege: Privilege | null;
  /** The requested columns on which the role lacks the privilege. */
  columns: string[];
  /** Whether the request requires the privilege on every column. */
  every: boolean;
  /** The columns on which the role has the privilege. Empty if the role has the privilege on no column. */
  allowed: string[];
}

/**
 * Returns the privileges that `role` lacks. Privileges on schemas come first. Only objects in `schemas` are checked, so
 * the result doesn't disclose anything about other schemas.
 */
export const selectMissing = (
  db: Queryable,
  role: string,
  needs: RequiredPrivileges,
  schemas: readonly string[],
): Promise<MissingRow[]> =>
  db.query<MissingRow>(sql`
    with need as (
      select n.*, n.place as at
      from jsonb_to_recordset(${JSON.stringify(numbered(needs))}::jsonb)
        as n (place int, schema text, name text, privilege text, columns jsonb, every boolean)
      where n.schema = any (${schemas}::text[])
    ),
    relation as (
      select need.*, c.oid, quote_ident(need.schema) || '.' || quote_ident(need.name) as quoted
      from need
      join pg_namespace s on s.nspname = need.schema
      join pg_class c on c.relnamespace = s.oid and c.relname = need.name
      where not has_table_privilege(${role}::name, c.oid, need.privilege)
    ),
    by_column as (
      select relation.at,
        json_agg(quote_ident(a.attname) order by a.attnum) filter (where p.granted) as allowed,
        json_agg(quote_ident(a.attname) order by a.attnum) filter (where p.asked and not p.granted) as refused,
        relation.every or jsonb_array_length(relation.columns) > count(*) filter (where p.asked) as every
      from relation
      join pg_attribute a on a.attrelid = relation.oid and a.attnum > 0 and not a.attisdropped
      cross join lateral (
        select relation.columns ? a.attname as asked,
          relation.privilege <> 'DELETE'
            and has_column_privilege(${role}::name, relation.oid, a.attnum, relation.privilege) as granted
      ) p
      group by relation.at, relation.columns, relation.every
    )
    select 'schema' as kind, quote_ident(u.schema) as name, null as privilege, '[]'::json as columns,
      false as every, '[]'::json as allowed, 0 as at
    from (
      select schema from need
      union select ${needs.routine?.schema ?? null}::text
    ) u
    join pg_namespace s on s.nspname = u.schema
    where s.nspname = any (${schemas}::text[]) and not has_schema_privilege(${role}::name, s.oid, 'usage')
    union all
    select 'relation', quoted, privilege, coalesce(refused, '[]'), b.every, coalesce(allowed, '[]'), 1 + relation.at
    from relation
    left join by_column b on b.at = relation.at
    where allowed is null or refused is not null or b.every
    union all
    select 'sequence', quote_ident(sn.nspname) || '.' || quote_ident(q.relname), null, '[]', false, '[]', 100000
    from pg_namespace n
    join pg_class c on c.relnamespace = n.oid and c.relname = ${needs.defaults?.name ?? null}::text
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (
      select e.refobjid as oid from pg_attrdef d
      join pg_depend e on e.classid = 'pg_attrdef'::regclass and e.objid = d.oid
        and e.refclassid = 'pg_class'::regclass
      where d.adrelid = c.oid and d.adnum = a.attnum
      union
      select e.objid from pg_depend e
      where ${needs.defaults?.identities ?? false}::boolean and e.deptype = 'i'
        and e.classid = 'pg_class'::regclass and e.refclassid = 'pg_class'::regclass
        and e.refobjid = c.oid and e.refobjsubid = a.attnum
    ) used
    join pg_class q on q.oid = used.oid and q.relkind = 'S'
    join pg_namespace sn on sn.oid = q.relnamespace
    where n.nspname = ${needs.defaults?.schema ?? null}::text and n.nspname = any (${schemas}::text[])
      and sn.nspname = any (${schemas}::text[])
      and a.attname <> all (${needs.defaults?.given ?? []}::text[])
      and case when q.relkind = 'S' then not has_sequence_privilege(${role}::name, q.oid, 'usage, update') end
    union all
    select 'routine', quote_ident(n.nspname) || '.' || quote_ident(p.proname)
      || '(' || pg_get_function_identity_arguments(p.oid) || ')', null, '[]', false, '[]', 200000
    from pg_namespace n
    join pg_proc p on p.pronamespace = n.oid and p.prokind = 'f' and p.proname = ${needs.routine?.name ?? null}::text
    where n.nspname = ${needs.routine?.schema ?? null}::text and n.nspname = any (${schemas}::text[])
      and coalesce((
        select json_agg(coalesce(u.name, '') order by u.place)
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[])
          with ordinality as u (type, name, mode, place)
        where coalesce(u.mode, 'i') in ('i', 'b', 'v') and u.type is not null
      ), '[]')::jsonb = ${JSON.stringify(needs.routine?.parameters ?? [])}::jsonb
      and not has_function_privilege(${role}::name, p.oid, 'execute')
    order by at, name`);

const numbered = ({ relations }: RequiredPrivileges) => relations.map((need, place) => ({ place, ...need }));

export interface PolicyRow {
  name: string;
  /** The command of the policy. `*` means all commands. */
  command: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | '*';
  permissive: boolean;
}

/** Returns the table's policies that apply to `role`. */
export const selectPolicies = (
  db: Queryable,
  role: string,
  { schema, name }: { readonly schema: string; readonly name: string },
): Promise<PolicyRow[]> =>
  db.query<PolicyRow>(sql`
    select p.polname as name, p.polpermissive as permissive,
      case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE'
        else '*' end as command
    from pg_policy p
    join pg_class c on c.oid = p.polrelid and c.relname = ${name}
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
    where exists (
      select from unnest(p.polroles) r (oid) where r.oid = 0 or pg_has_role(${role}::name, r.oid, 'usage'))
    order by p.polname`);

/**
 * Returns the quoted name of the login role if the login role isn't allowed to switch to the existing role `role`.
 * Superusers are excluded because hints must not suggest granting a superuser role. In PostgreSQL 15, memberships don't
 * have the SET option.
 */
export const selectLoginWithout = async (db: Queryable, role: string): Promise<string | undefined> => {
  const [row] = await db.query<{ login: string }>(sql`
    select quote_ident(session_user) as login from pg_roles r
    where r.rolname = ${role} and not r.rolsuper and not pg_has_role(session_user, r.oid,
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`);
  return row?.login;
};

/** Quotes the names that must be quoted in SQL. Returns the names in the same order. */
export const selectQuoted = async (db: Queryable, names: readonly string[]): Promise<string[]> => {
  const [row] = await db.query<{ quoted: string[] }>(sql`
    select array_agg(quote_ident(n) order by place) as quoted
    from unnest(${names}::text[]) with ordinality as u (n, place)`);
  return row?.quoted ?? [];
};
