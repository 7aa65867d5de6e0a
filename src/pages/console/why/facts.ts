/** Reads a relation, a role and the policies from the system catalogs with administrator privileges. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { RelationKind, Security } from './contract.ts';
import type { Policy } from './core/gates.ts';

export interface RelationFacts {
  oid: number;
  schema: string;
  name: string;
  kind: RelationKind;
  owner: string;
  rls: boolean;
  forced: boolean;
  /** Whether the view is read with the privileges of the role that uses it (`security_invoker`). */
  invoker: boolean;
  columns: {
    name: string;
    number: number;
    type: string;
    key: boolean;
    default: string | null;
    identity: boolean;
    generated: boolean;
  }[];
}

export async function findRelation(
  db: Queryable,
  where: { readonly schema: string; readonly name: string } | { readonly oid: number },
): Promise<RelationFacts | undefined> {
  const condition =
    'oid' in where
      ? sql`c.oid = ${where.oid}::oid`
      : sql`n.nspname = ${where.schema} and c.relname = ${where.name}`;
  const [row] = await db.query<RelationFacts>(sql`
    select c.oid, n.nspname as schema, c.relname as name,
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as kind,
      pg_get_userbyid(c.relowner) as owner, c.relrowsecurity as rls, c.relforcerowsecurity as forced,
      coalesce((select option_value::boolean from pg_options_to_table(c.reloptions) where option_name = 'security_invoker'), false) as invoker,
      (select coalesce(json_agg(json_build_object('name', a.attname, 'number', a.attnum, 'type', format_type(a.atttypid, a.atttypmod),
          'key', exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)),
          'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity <> '', 'generated', a.attgenerated <> '')
          order by a.attnum), '[]')
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('_plinth', 'information_schema')
      and n.nspname not like 'pg\\_%' and ${condition}`);
  return row;
}

/**
 * Returns the reason why row-level security applies or doesn't apply to the role. Returns undefined if the role doesn't
 * exist.
 */
export async function findSecurity(
  db: Queryable,
  relation: RelationFacts,
  role: string,
): Promise<Security | undefined> {
  const [row] = await db.query<{ superuser: boolean; bypass: boolean; owns: boolean }>(sql`
    select r.rolsuper as superuser, r.rolbypassrls as bypass, pg_has_role(r.oid, c.relowner, 'usage') as owns
    from pg_roles r, pg_class c where r.rolname = ${role} and c.oid = ${relation.oid}::oid`);
  if (row === undefined) return undefined;
  if (!relation.rls) return 'off';
  if (row.superuser) return 'superuser';
  if (row.owns && !relation.forced) return 'owner';
  return row.bypass ? 'bypassrls' : 'on';
}

/**
 * Returns a column that the role may update, or any other updatable column if there is none. A column that isn't part of
 * the key is preferred, because other tables can reference the key.
 */
export async function findUpdatable(
  db: Queryable,
  relation: RelationFacts,
  role: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(sql`
    select a.attname as name from pg_attribute a
    where a.attrelid = ${relation.oid}::oid and a.attnum > 0 and not a.attisdropped
      and a.attidentity <> 'a' and a.attgenerated = '' and pg_column_is_updatable(a.attrelid, a.attnum, true)
    order by not exists (select from pg_roles r
        where r.rolname = ${role} and has_column_privilege(r.oid, a.attrelid, a.attnum, 'update')),
      exists (select from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'p' and a.attnum = any (k.conkey)),
      a.attnum
    limit 1`);
  return row?.name;
}

/** Returns the policies in alphabetical order, which is also the order in which PostgreSQL evaluates them. */
export async function listPolicies(db: Queryable, oid: number, role: string): Promise<Policy[]> {
  return db.query<Policy>(sql`
    select p.polname as name, p.polpermissive as permissive,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end as command,
      (select coalesce(json_agg(case when r = 0 then 'public' else pg_get_userbyid(r) end order by r), '[]') from unnest(p.polroles) r) as roles,
      exists (select from unnest(p.polroles) r
        where r = 0 or pg_has_role((select oid from pg_roles where rolname = ${role}), r, 'usage')) as applies,
      pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check,
      (select coalesce(json_agg(json_build_object('name', f.oid::regprocedure::text, 'securityDefiner', f.prosecdef,
          'owner', pg_get_userbyid(f.proowner), 'mayExecute', has_function_privilege(${role}::name, f.oid, 'execute'))
          order by f.oid::regprocedure::text), '[]')
        from (select distinct d.refobjid from pg_depend d
          where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_proc'::regclass) d
        join pg_proc f on f.oid = d.refobjid) as functions
    from set_config('search_path', '', true), pg_policy p
    where p.polrelid = ${oid}::oid order by p.polname`);
}

export interface ViewFacts {
  /** The query of the view, with qualified names. */
  text: string;
  /** The stored rewrite rule of the view, which is parsed by `views.ts`. */
  rule: string;
  /** The tables and views that the view reads directly, each with the columns that the view uses. */
  sources: { oid: number; columns: string[] }[];
}

export async function findView(db: Queryable, oid: number): Promise<ViewFacts | undefined> {
  const [row] = await db.query<ViewFacts>(sql`
    select rtrim(pg_get_viewdef(r.ev_class), '; ') as text, r.ev_action::text as rule,
      (select coalesce(json_agg(json_build_object('oid', s.oid::bigint, 'columns', s.columns) order by s.oid), '[]') from (
        select d.refobjid as oid, coalesce(json_agg(a.attname order by a.attnum) filter (where a.attnum > 0), '[]') as columns
        from pg_depend d join pg_class c on c.oid = d.refobjid and c.relkind in ('r', 'p', 'v', 'm', 'f')
        left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
        where d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
          and d.refobjid <> r.ev_class
        group by d.refobjid) s) as sources
    from set_config('search_path', '', true), pg_rewrite r where r.ev_class = ${oid}::oid and r.ev_type = '1'`);
  return row;
}
