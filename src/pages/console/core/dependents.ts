/** Finds the objects that use an object, in PostgreSQL's record of dependencies. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Dependent } from '../routines/contract.ts';

const functionSignature = sql`
  pg_catalog.format('%I.%I(%s)', pn.nspname, p.proname, (
    select pg_catalog.string_agg(pg_catalog.format_type(t, null), ', ' order by number)
    from pg_catalog.unnest(pg_catalog.string_to_array(p.proargtypes::text, ' ')::oid[]) with ordinality a(t, number)))`;

/**
 * Lists the objects that depend on an object: `catalog` is the object's catalog, such as `pg_proc`, and `oids` selects
 * its OIDs. Objects of the same extension and the object's own parts aren't listed.
 */
export const listDependents = (
  db: Queryable,
  catalog: 'pg_proc' | 'pg_class',
  oid: number,
): Promise<Dependent[]> =>
  db.query<Dependent>(dependentsOf(sql.raw(`'pg_catalog.${catalog}'::regclass`), oid));

const dependentsOf = (catalog: Sql, oid: number): Sql => sql`
  with used as (
    select distinct d.classid, d.objid from pg_catalog.pg_depend d
    where d.refclassid = ${catalog} and d.refobjid = ${oid}::int8::oid and d.deptype in ('n', 'a'))
  select distinct on (kind, schema, relation, name, signature) kind, name,
    case when schema is null then null else json_build_object('schema', schema, 'name', relation) end as table, signature
  from used u, lateral (
    select case c.relkind when 'm' then 'materialized view' when 'v' then 'view' else 'other' end as kind,
      c.relname::text as name, n.nspname::text as schema, c.relname::text as relation, null::text as signature
    from pg_catalog.pg_rewrite w join pg_catalog.pg_class c on c.oid = w.ev_class
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where u.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = u.objid
      and not (${catalog} = 'pg_catalog.pg_class'::regclass and c.oid = ${oid}::int8::oid)
    union all
    select 'policy', y.polname, n.nspname, c.relname, null
    from pg_catalog.pg_policy y join pg_catalog.pg_class c on c.oid = y.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where u.classid = 'pg_catalog.pg_policy'::regclass and y.oid = u.objid
      and not (${catalog} = 'pg_catalog.pg_class'::regclass and c.oid = ${oid}::int8::oid)
    union all
    select 'trigger', g.tgname, n.nspname, c.relname, null
    from pg_catalog.pg_trigger g join pg_catalog.pg_class c on c.oid = g.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where u.classid = 'pg_catalog.pg_trigger'::regclass and g.oid = u.objid and not g.tgisinternal
    union all
    select 'event trigger', e.evtname, null, null, null from pg_catalog.pg_event_trigger e
    where u.classid = 'pg_catalog.pg_event_trigger'::regclass and e.oid = u.objid
    union all
    select 'default', a.attname, n.nspname, c.relname, null
    from pg_catalog.pg_attrdef f join pg_catalog.pg_class c on c.oid = f.adrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
    where u.classid = 'pg_catalog.pg_attrdef'::regclass and f.oid = u.objid
    union all
    select 'check', k.conname, n.nspname, c.relname, null
    from pg_catalog.pg_constraint k left join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = coalesce(c.relnamespace, k.connamespace)
    where u.classid = 'pg_catalog.pg_constraint'::regclass and k.oid = u.objid
    union all
    select case c.relkind when 'i' then 'index' when 'I' then 'index' when 'v' then 'view'
        when 'm' then 'materialized view' else 'table' end,
      c.relname, n.nspname, coalesce(r.relname, c.relname), null
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_index x on x.indexrelid = c.oid left join pg_catalog.pg_class r on r.oid = x.indrelid
    where u.classid = 'pg_catalog.pg_class'::regclass and c.oid = u.objid
      and not (${catalog} = 'pg_catalog.pg_class'::regclass and x.indrelid = ${oid}::int8::oid)
    union all
    select 'function', p.proname, null, null, ${functionSignature}
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
    where u.classid = 'pg_catalog.pg_proc'::regclass and p.oid = u.objid
    union all
    select 'type', pg_catalog.format_type(t.oid, null), null, null, null from pg_catalog.pg_type t
    where u.classid = 'pg_catalog.pg_type'::regclass and t.oid = u.objid
      and not exists (select from pg_catalog.pg_depend i where i.classid = u.classid and i.objid = t.oid and i.deptype = 'i')
    union all
    select 'other', pg_catalog.pg_describe_object(u.classid, u.objid, 0), null, null, null
    where u.classid not in ('pg_catalog.pg_rewrite'::regclass, 'pg_catalog.pg_policy'::regclass,
      'pg_catalog.pg_trigger'::regclass, 'pg_catalog.pg_event_trigger'::regclass, 'pg_catalog.pg_attrdef'::regclass,
      'pg_catalog.pg_constraint'::regclass, 'pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass,
      'pg_catalog.pg_type'::regclass)
  ) object
  order by kind, schema, relation, name, signature`;
