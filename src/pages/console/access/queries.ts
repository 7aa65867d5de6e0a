/** Reads roles, privileges and default privileges from the system catalogs. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { isSystemRole } from '../schema/core/system-roles.ts';
import { aclOf, argumentTypes, grantsIn } from './acl.ts';
import type { ColumnRow, DefaultPrivilegesRow, GrantedObject, RoleRow } from './contract.ts';

/** PostgreSQL's own roles (`pg_…`) are omitted because operators can't change them. They still appear as memberships. */
export async function listRoles(db: Queryable): Promise<RoleRow[]> {
  // Before PostgreSQL 16, the member's INHERIT attribute decides. Since then, each membership has an option.
  const rows = await db.query<Omit<RoleRow, 'system'>>(sql`
    with recursive inherited as (
      select m.member as role, m.roleid from pg_catalog.pg_auth_members m
      join pg_catalog.pg_roles r on r.oid = m.member
      where coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, r.rolinherit)
    ), reached as (
      select role, roleid from inherited
      union
      select x.role, i.roleid from reached x join inherited i on i.role = x.roleid
    ), sessions as (
      select usesysid, pg_catalog.count(*)::int as count from pg_catalog.pg_stat_activity group by usesysid
    )
    select r.rolname as name, r.rolsuper as superuser, r.rolcanlogin as login, r.rolinherit as inherit,
      r.rolcreatedb as createdb, r.rolcreaterole as createrole, r.rolbypassrls as bypassrls,
      r.rolreplication as replication, r.rolconnlimit as "connectionLimit",
      coalesce((select s.count from sessions s where s.usesysid = r.oid), 0) as connections,
      (select coalesce(pg_catalog.array_agg(distinct g.rolname::text), '{}') from pg_catalog.pg_auth_members m
        join pg_catalog.pg_roles g on g.oid = m.roleid where m.member = r.oid) as "memberOf",
      (select coalesce(pg_catalog.array_agg(distinct g.rolname::text), '{}') from pg_catalog.pg_auth_members m
        join pg_catalog.pg_roles g on g.oid = m.member where m.roleid = r.oid) as members,
      (select coalesce(pg_catalog.array_agg(distinct g.rolname::text), '{}') from reached x
        join pg_catalog.pg_roles g on g.oid = x.roleid where x.role = r.oid) as inherits,
      exists (select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles own on own.oid = m.member
        where m.roleid = r.oid and own.rolname = current_user and m.admin_option) as editable,
      pg_catalog.shobj_description(r.oid, 'pg_authid') as comment
    from pg_catalog.pg_roles r where r.rolname not like 'pg\\_%'
    order by r.rolname`);
  return rows.map((row) => ({ ...row, system: isSystemRole(row.name) }));
}

const ownSchemas = sql.raw(
  "n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'",
);

const ofExtension = (catalog: string, oid: string) =>
  sql.raw(
    `exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass
      and d.objid = ${oid} and d.deptype = 'e')`,
  );

/** Lists the objects on which privileges are granted. Partitions are omitted because queries use the parent's. */
export async function listGrantedObjects(db: Queryable): Promise<GrantedObject[]> {
  const lists = await Promise.all([
    db.query<GrantedObject>(sql`
      select 'schema' as kind, n.nspname as schema, n.nspname as name, pg_catalog.pg_get_userbyid(n.nspowner) as owner,
        pg_catalog.json_build_object('type', 'schema', 'name', n.nspname) as target,
        pg_catalog.pg_has_role(n.nspowner, 'usage') or pg_catalog.has_schema_privilege(n.oid, 'usage with grant option')
          as editable,
        null::boolean as rls, false as definer,
        ${grantsIn(aclOf(sql`n.nspacl`, sql`'n'`, sql`n.nspowner`))} as grants, '[]'::json as "columnGrants"
      from pg_catalog.pg_namespace n where ${ownSchemas} order by n.nspname`),
    db.query<GrantedObject>(sql`
      select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
          when 'S' then 'sequence' else 'table' end as kind,
        n.nspname as schema, c.relname as name, pg_catalog.pg_get_userbyid(c.relowner) as owner,
        pg_catalog.json_build_object('type', case c.relkind when 'S' then 'sequence' else 'table' end,
          'schema', n.nspname, 'name', c.relname) as target,
        pg_catalog.pg_has_role(c.relowner, 'usage') as editable,
        case when c.relkind in ('r', 'p') then c.relrowsecurity end as rls, false as definer,
        ${grantsIn(
          aclOf(
            sql`c.relacl`,
            sql`case c.relkind when 'S' then 's'::"char" else 'r'::"char" end`,
            sql`c.relowner`,
          ),
        )} as grants,
        (select coalesce(pg_catalog.json_agg(distinct pg_catalog.jsonb_build_object(
            'role', case when x.grantee = 0 then 'public' else pg_catalog.pg_get_userbyid(x.grantee) end,
            'privilege', pg_catalog.lower(x.privilege_type))), '[]')
          from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) x
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attacl is not null) as "columnGrants"
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not c.relispartition and ${ownSchemas}
        and not ${ofExtension('pg_class', 'c.oid')}
      order by n.nspname, c.relname`),
    db.query<GrantedObject>(sql`
      select case p.prokind when 'p' then 'procedure' else 'function' end as kind,
        n.nspname as schema, p.proname as name, pg_catalog.pg_get_userbyid(p.proowner) as owner,
        pg_catalog.json_build_object('type', case p.prokind when 'p' then 'procedure' else 'function' end,
          'schema', n.nspname, 'name', p.proname, 'arguments',
          (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('schema', tn.nspname, 'name', t.typname)
              order by u.place), '[]')
            from pg_catalog.unnest(p.proargtypes) with ordinality as u (type, place)
            join pg_catalog.pg_type t on t.oid = u.type join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace))
          as target,
        pg_catalog.pg_has_role(p.proowner, 'usage') as editable, null::boolean as rls, p.prosecdef as definer,
        ${grantsIn(aclOf(sql`p.proacl`, sql`'f'`, sql`p.proowner`))} as grants, '[]'::json as "columnGrants"
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      where ${ownSchemas} and not ${ofExtension('pg_proc', 'p.oid')}
      order by n.nspname, p.proname, ${argumentTypes}`),
  ]);
  return lists.flat();
}

export const listColumns = (db: Queryable, schema: string, table: string): Promise<ColumnRow[]> =>
  db.query<ColumnRow>(sql`
    select a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
      ${grantsIn(sql`a.attacl`)} as grants
    from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table} and ${ownSchemas} and a.attnum > 0 and not a.attisdropped
    order by a.attnum`);

export const listDefaultPrivileges = (db: Queryable): Promise<DefaultPrivilegesRow[]> =>
  db.query<DefaultPrivilegesRow>(sql`
    select pg_catalog.pg_get_userbyid(d.defaclrole) as owner, n.nspname as schema,
      case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions'
        when 'T' then 'types' else 'schemas' end as objects,
      ${grantsIn(sql`d.defaclacl`)} as grants, pg_catalog.pg_has_role(d.defaclrole, 'usage') as editable
    from pg_catalog.pg_default_acl d left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
    where d.defaclobjtype in ('r', 'S', 'f', 'T', 'n') and (n.nspname is null or ${ownSchemas})
    order by 1, n.nspname nulls first, 3`);

/** The roles that the session's role is or inherits from, which can therefore be named as the creator of objects. */
export async function listOwners(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select rolname as name from pg_catalog.pg_roles
    where pg_catalog.pg_has_role(oid, 'usage') and rolname not like 'pg\\_%' order by rolname <> current_user, rolname`);
  return rows.map(({ name }) => name);
}

export async function listOwnSchemas(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select n.nspname as name from pg_catalog.pg_namespace n where ${ownSchemas} order by n.nspname`);
  return rows.map(({ name }) => name);
}
