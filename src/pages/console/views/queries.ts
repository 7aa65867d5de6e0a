/** Reads views and materialized views from the catalogs. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Grant } from '../core/grants.ts';
import type { ViewDetail, ViewRow } from './contract.ts';

/**
 * REFRESH MATERIALIZED VIEW CONCURRENTLY needs a unique index of columns that contains all rows (PostgreSQL 18,
 * matview.c: is_usable_unique_index).
 */
const usableIndex =
  sql.raw(`exists (select from pg_catalog.pg_index x where x.indrelid = c.oid and x.indisunique
  and x.indisvalid and x.indimmediate and x.indpred is null and x.indexprs is null and x.indnatts > 0)`);

/** Whether the view `c` reads its tables with the privileges of the caller. */
export const isInvokerView = sql.raw(`coalesce((select o.option_value::boolean
  from pg_catalog.pg_options_to_table(c.reloptions) o where o.option_name = 'security_invoker'), false)`);

const summary = sql`
  n.nspname as schema, c.relname as name,
  case c.relkind when 'm' then 'materialized view' else 'view' end as kind, pg_catalog.pg_get_userbyid(c.relowner) as owner,
  pg_catalog.pg_has_role('postgres', c.relowner, 'usage') as may_change,
  ${isInvokerView} as security_invoker,
  pg_catalog.obj_description(c.oid, 'pg_class') as comment,
  (select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
    where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
      and d.refclassid = 'pg_catalog.pg_extension'::regclass limit 1) as extension,
  c.relispopulated as populated,
  case c.relkind when 'm' then c.relpages * pg_catalog.current_setting('block_size')::float8
    + coalesce((select sum(i.relpages) * pg_catalog.current_setting('block_size')::float8
        from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid), 0)
    else 0 end as size_bytes,
  case when c.relkind = 'm' and c.reltuples >= 0 then c.reltuples::float8 end as rows,
  c.relkind = 'm' and ${usableIndex} as can_refresh_concurrently`;

const from = sql.raw(`from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm') and n.nspname not in ('_plinth', 'pg_catalog', 'information_schema')
    and n.nspname not like 'pg\\_%'`);

export const listViews = (db: Queryable): Promise<ViewRow[]> =>
  db.query<ViewRow>(sql`select ${summary} ${from} order by n.nspname, c.relname`);

export interface ViewFacts extends Omit<ViewDetail, 'source' | 'recreation' | 'grants' | 'dependents'> {
  oid: number;
  query: string;
  /** The options as in WITH, such as `security_invoker=true`. */
  options: { name: string; value: string }[];
  acl: Grant[];
  triggers: string[];
  column_comments: { column: string; comment: string }[];
}

export async function findView(
  db: Queryable,
  { schema, name }: { readonly schema: string; readonly name: string },
): Promise<ViewFacts | undefined> {
  const [found] = await db.query<ViewFacts>(sql`
    select ${summary}, c.oid::int8::float8 as oid, pg_catalog.pg_get_viewdef(c.oid) as query,
      (select coalesce(json_agg(json_build_object('name', o.option_name, 'value', o.option_value)), '[]')
        from pg_catalog.pg_options_to_table(c.reloptions) o) as options,
      (select json_agg(json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod))
          order by a.attnum)
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select coalesce(json_agg(json_build_object('role', g.role, 'privilege', g.privilege_type,
          'grantable', g.is_grantable, 'column', g.attname) order by g.role, g.privilege_type, g.attname), '[]') from (
        select null::name as attname, case g.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(g.grantee) end as role,
          g.privilege_type, g.is_grantable, g.grantee
        from pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) g
        union all
        select a.attname, case g.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(g.grantee) end,
          g.privilege_type, g.is_grantable, g.grantee
        from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) g where a.attrelid = c.oid and a.attnum > 0
      ) g where g.grantee <> c.relowner) as acl,
      (select coalesce(json_agg(distinct jsonb_build_object('schema', rn.nspname, 'name', r.relname,
          'kind', case r.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end)), '[]')
        from pg_catalog.pg_rewrite w join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass
          and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
        join pg_catalog.pg_class r on r.oid = d.refobjid join pg_catalog.pg_namespace rn on rn.oid = r.relnamespace
        where w.ev_class = c.oid) as reads,
      (select coalesce(json_agg(json_build_object('name', i.relname,
          'definition', pg_catalog.pg_get_indexdef(x.indexrelid), 'unique', x.indisunique,
          'size_bytes', i.relpages * pg_catalog.current_setting('block_size')::float8) order by i.relname), '[]')
        from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid) as indexes,
      (select coalesce(json_agg(pg_catalog.pg_get_triggerdef(g.oid) order by g.tgname), '[]')
        from pg_catalog.pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers,
      (select coalesce(json_agg(json_build_object('column', a.attname, 'comment', d.description) order by a.attnum), '[]')
        from pg_catalog.pg_description d join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
        where d.classoid = 'pg_catalog.pg_class'::regclass and d.objoid = c.oid and d.objsubid > 0) as column_comments
    ${from} and n.nspname = ${schema} and c.relname = ${name}`);
  return found;
}

/** Lists the roles that get privileges on a new view of `postgres` by default privileges. */
export const initialRoles = async (db: Queryable, schema: string): Promise<string[]> =>
  (
    await db.query<{ role: string }>(sql`
      select distinct case g.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(g.grantee) end as role
      from pg_catalog.pg_default_acl d, pg_catalog.aclexplode(d.defaclacl) g
      where d.defaclobjtype = 'r' and d.defaclrole = 'postgres'::regrole and g.grantee <> d.defaclrole
        and d.defaclnamespace in (0, coalesce(pg_catalog.to_regnamespace(pg_catalog.quote_ident(${schema})), 0::oid))
      order by 1`)
  ).map(({ role }) => role);
