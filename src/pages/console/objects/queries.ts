/** Reads types, sequences, publications and event triggers from the system catalogs. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { EventTriggerRow, PublicationRow, SequenceRow, TypeRow } from './contract.ts';

const ownSchemas = sql.raw(
  "n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'",
);

export const listTypes = (db: Queryable): Promise<TypeRow[]> =>
  db.query<TypeRow>(sql`
    select n.nspname as schema, t.typname as name,
      case t.typtype when 'd' then 'domain' when 'c' then 'composite' else 'range' end as kind,
      pg_catalog.pg_get_userbyid(t.typowner) as owner, pg_catalog.obj_description(t.oid, 'pg_type') as comment,
      case t.typtype when 'd' then pg_catalog.format_type(t.typbasetype, t.typtypmod)
        when 'r' then (select pg_catalog.format_type(r.rngsubtype, null) from pg_catalog.pg_range r
          where r.rngtypid = t.oid) end as base,
      t.typnotnull as "notNull", t.typdefault as default,
      (select coalesce(json_agg(json_build_object('name', k.conname,
          'definition', pg_catalog.pg_get_constraintdef(k.oid)) order by k.conname), '[]')
        from pg_catalog.pg_constraint k where k.contypid = t.oid and k.contype = 'c') as checks,
      (select coalesce(json_agg(json_build_object('name', a.attname,
          'type', pg_catalog.format_type(a.atttypid, a.atttypmod)) order by a.attnum), '[]')
        from pg_catalog.pg_attribute a where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0
          and not a.attisdropped) as attributes,
      (select coalesce(json_agg(json_build_object('schema', cn.nspname, 'table', c.relname, 'column', a.attname)
          order by cn.nspname, c.relname, a.attnum), '[]')
        from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
        join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
        where a.atttypid in (t.oid, nullif(t.typarray, 0)) and c.relkind in ('r', 'p', 'f') and not a.attisdropped)
        as columns,
      pg_catalog.pg_has_role(t.typowner, 'usage') as editable
    from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where t.typtype in ('d', 'c', 'r') and ${ownSchemas}
      -- Each table has a composite type with its name.
      and (t.typrelid = 0 or (select c.relkind from pg_catalog.pg_class c where c.oid = t.typrelid) = 'c')
      and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
        and d.objid = t.oid and d.deptype = 'e')
    order by n.nspname, t.typname`);

/** The share is computed with the column's type, because an `integer` column can be full before its `bigint` sequence. */
export const listSequences = (db: Queryable): Promise<SequenceRow[]> =>
  db.query<SequenceRow>(sql`
    with listed as (
      select s.*, c.oid, c.relname, n.nspname, pg_catalog.pg_get_userbyid(c.relowner) as owner,
        pg_catalog.pg_has_role(c.relowner, 'usage') as editable, d.deptype, cn.nspname as table_schema,
        t.relname as table_name, a.attname, a.atttypid,
        case when pg_catalog.has_sequence_privilege(c.oid, 'usage') or pg_catalog.has_sequence_privilege(c.oid, 'select')
          then pg_catalog.pg_sequence_last_value(c.oid) end as last
      from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
      left join pg_catalog.pg_class t on t.oid = d.refobjid
      left join pg_catalog.pg_namespace cn on cn.oid = t.relnamespace
      left join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where ${ownSchemas} and not exists (select from pg_catalog.pg_depend e
        where e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and e.objid = c.oid and e.deptype = 'e')
    ), limited as (
      select l.*, case l.atttypid when 21 then 32767 when 23 then 2147483647 end::numeric as column_max,
        case l.atttypid when 21 then -32768 when 23 then -2147483648 end::numeric as column_min
      from listed l
    )
    select nspname as schema, relname as name, pg_catalog.format_type(seqtypid, null) as type, owner,
      case when attname is not null then
        json_build_object('schema', table_schema, 'table', table_name, 'column', attname) end as column,
      coalesce(deptype = 'i', false) as identity,
      seqstart::text as start, seqmin::text as min, seqmax::text as max, seqincrement::text as increment,
      seqcycle as cycle, last::text as last,
      case when last is not null then (case when seqincrement > 0
        then (last::numeric - seqmin + 1) / greatest(least(seqmax, column_max) - seqmin + 1, 1)
        else (seqmax - last::numeric + 1) / greatest(seqmax - greatest(seqmin, column_min) + 1, 1) end)::float8 end as used,
      pg_catalog.format_type(case when column_max is not null and column_max < seqmax then atttypid else seqtypid end, null)
        as limit,
      editable
    from limited order by nspname, relname`);

export const listPublications = (db: Queryable): Promise<PublicationRow[]> =>
  db.query<PublicationRow>(sql`
    select p.pubname as name, pg_catalog.pg_get_userbyid(p.pubowner) as owner, p.puballtables as "allTables",
      (select coalesce(json_agg(n.nspname order by n.nspname), '[]') from pg_catalog.pg_publication_namespace s
        join pg_catalog.pg_namespace n on n.oid = s.pnnspid where s.pnpubid = p.oid) as schemas,
      array_remove(array[case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
        case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end], null) as operations,
      (select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname,
          'columns', (select json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
            where r.prattrs is not null and a.attrelid = c.oid and a.attnum = any (r.prattrs)),
          'where', pg_catalog.pg_get_expr(r.prqual, c.oid),
          'identity', case c.relreplident when 'd' then 'default' when 'f' then 'full' when 'n' then 'nothing' else 'index' end,
          'hasPrimaryKey', exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary),
          'rls', c.relrowsecurity) order by n.nspname, c.relname), '[]')
        from pg_catalog.pg_publication_rel r join pg_catalog.pg_class c on c.oid = r.prrelid
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace where r.prpubid = p.oid) as tables,
      pg_catalog.pg_has_role(p.pubowner, 'usage') as editable
    from pg_catalog.pg_publication p
    order by p.pubname <> 'supabase_realtime', p.pubname`);

export const listPublishableTables = (db: Queryable): Promise<{ schema: string; name: string }[]> =>
  db.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition and ${ownSchemas}
      and pg_catalog.pg_has_role(c.relowner, 'usage')
    order by n.nspname, c.relname`);

export const listEventTriggers = (db: Queryable): Promise<EventTriggerRow[]> =>
  db.query<EventTriggerRow>(sql`
    select t.evtname as name, t.evtevent as event, coalesce(t.evttags, '{}') as tags,
      json_build_object('schema', n.nspname, 'name', p.proname) as function,
      case t.evtenabled when 'O' then 'on' when 'D' then 'off' when 'R' then 'replica' else 'always' end as enabled,
      pg_catalog.pg_get_userbyid(t.evtowner) as owner,
      (select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
        where d.classid = 'pg_catalog.pg_event_trigger'::pg_catalog.regclass and d.objid = t.oid and d.deptype = 'e')
        as extension,
      pg_catalog.pg_has_role(t.evtowner, 'usage') as editable,
      pg_catalog.obj_description(t.oid, 'pg_event_trigger') as comment
    from pg_catalog.pg_event_trigger t join pg_catalog.pg_proc p on p.oid = t.evtfoid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    order by t.evtname`);

export const listEventTriggerFunctions = (db: Queryable): Promise<{ schema: string; name: string }[]> =>
  db.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, p.proname as name
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.prorettype = 'pg_catalog.event_trigger'::pg_catalog.regtype and p.pronargs = 0 and ${ownSchemas}
      and pg_catalog.pg_has_role(p.proowner, 'usage')
    order by n.nspname, p.proname`);
