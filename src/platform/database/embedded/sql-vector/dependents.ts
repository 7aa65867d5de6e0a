/**
 * Finds the columns and expressions that use the types of the former SQL-only extension `vector`. Their stored forms
 * contain values, casts and type modifiers in the former format, so each is read as text before the change and written
 * again after it.
 */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../types.ts';

/** The expression for the IDs of all types that contain one of the types, directly or indirectly. */
const affectedTypes = `with recursive affected (oid) as (
  select t.oid from pg_type t join pg_depend d on d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e'
    and d.refclassid = 'pg_extension'::regclass
  join pg_extension e on e.oid = d.refobjid
  where e.extname = 'vector' and t.typname in ('vector', 'halfvec', 'sparsevec')
  union
  select t.oid from affected a join pg_type t on t.typelem = a.oid or t.typbasetype = a.oid
    or exists (select from pg_attribute c where c.attrelid = t.typrelid and c.atttypid = a.oid and not c.attisdropped)
)`;

/** Creates the temporary tables that the other queries use. All names are looked up in pg_catalog. */
export const collectDependents = `
create temp table vector_types on commit drop as ${affectedTypes} select oid from affected;
create temp table vector_base on commit drop as
  select t.oid from pg_type t join pg_depend d on d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e'
    and d.refclassid = 'pg_extension'::regclass
  join pg_extension e on e.oid = d.refobjid
  where e.extname = 'vector' and t.typname in ('vector', 'halfvec', 'sparsevec');
create temp table vector_columns on commit drop as
  select c.oid as relation, a.attnum as number, a.attname as name, c.relkind as kind, a.attgenerated <> '' as generated
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where a.attnum > 0 and not a.attisdropped and a.atttypid in (select oid from pg_temp.vector_types)
    and c.relkind in ('r', 'p', 'v', 'm', 'f', 'c');
create temp table vector_members on commit drop as
  select d.classid, d.objid from pg_depend d join pg_extension e on e.oid = d.refobjid
  where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = 'vector';
create temp table vector_dependents on commit drop as
  select distinct d.classid, d.objid from pg_depend d
  where d.classid <> 'pg_extension'::regclass
    and (d.classid, d.objid) not in (select classid, objid from pg_temp.vector_members)
    and not exists (
      select from pg_depend own join pg_temp.vector_members m on own.refclassid = m.classid and own.refobjid = m.objid
      where own.classid = d.classid and own.objid = d.objid and own.deptype = 'i')
    and ((d.refclassid, d.refobjid) in (select classid, objid from pg_temp.vector_members)
      or (d.refclassid = 'pg_type'::regclass and d.refobjid in (select oid from pg_temp.vector_types))
      or (d.refclassid = 'pg_class'::regclass and (d.refobjid, d.refobjsubid) in (select relation, number from pg_temp.vector_columns))
      or (d.refclassid = 'pg_proc'::regclass and d.refobjid in (
        select p.oid from pg_proc p where p.prorettype in (select oid from pg_temp.vector_types)
          or p.proargtypes::oid[] && array(select oid from pg_temp.vector_types))));
`;

/** A statement that writes an object again, and the object's name for messages. */
export interface Rewritten {
  readonly name: string;
  readonly text: string;
}

/** A materialized view. Its query can't be replaced with a statement. */
export interface MaterializedView {
  readonly name: string;
  readonly id: string;
  readonly query: string;
  readonly isPopulated: boolean;
}

/**
 * Returns the names of dependent objects that can't be converted. These include domains with checks in composite types,
 * because a superuser would evaluate the checks, which are code of the project, when it writes the values.
 */
export async function unsupportedDependents(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    with recursive stored (oid) as (
      select a.atttypid from pg_temp.vector_columns v
      join pg_attribute a on a.attrelid = v.relation and a.attnum = v.number where v.kind = 'r'
      union
      select part.oid from stored s join pg_type t on t.oid = s.oid
      cross join lateral (
        select unnest(array[t.typelem, t.typbasetype])
        union all select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
        union all select r.rngsubtype from pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)
      ) as part (oid)
      where part.oid <> 0
    )
    select pg_describe_object('pg_type'::regclass, s.oid, 0) as name from stored s
    where exists (select from pg_constraint k where k.contypid = s.oid and k.contype = 'c')
    union
    select pg_describe_object(d.classid, d.objid, 0) as name from pg_temp.vector_dependents d
    where case d.classid
      when 'pg_class'::regclass then false
      when 'pg_type'::regclass then exists (
        select from pg_constraint k where k.contypid = d.objid and k.contype = 'c')
        or exists (select from pg_range r where d.objid in (r.rngtypid, r.rngmultitypid))
      when 'pg_proc'::regclass then exists (select from pg_aggregate g where g.aggfnoid = d.objid)
      when 'pg_policy'::regclass then false
      when 'pg_attrdef'::regclass then exists (
        select from pg_attrdef f join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
        where f.oid = d.objid and a.attgenerated <> '')
      when 'pg_rewrite'::regclass then exists (
        select from pg_rewrite r where r.oid = d.objid and r.rulename <> '_RETURN')
      when 'pg_constraint'::regclass then exists (
        select from pg_constraint k where k.oid = d.objid and k.contype not in ('n', 'p', 'f'))
      when 'pg_publication_rel'::regclass then false
      else true
    end order by 1`);
  return rows.map(({ name }) => name);
}

/** Returns the statements for views, policies, defaults and functions with a parsed body. */
export async function rewrittenObjects(db: Queryable): Promise<Rewritten[]> {
  return await db.query<Rewritten>(sql`
    select pg_describe_object(d.classid, d.objid, 0) as name, s.text
    from pg_temp.vector_dependents d
    cross join lateral (
      select format('create or replace view %s%s as %s', c.oid::regclass,
        case when c.reloptions is not null then format(' with (%s)', array_to_string(c.reloptions, ', ')) else '' end,
        rtrim(pg_get_viewdef(c.oid), ';')) as text
      from pg_rewrite r join pg_class c on c.oid = r.ev_class
      where d.classid = 'pg_rewrite'::regclass and r.oid = d.objid and c.relkind = 'v'
      union all
      select format('alter policy %I on %s', p.polname, p.polrelid::regclass)
        || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
        || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
      from pg_policy p where d.classid = 'pg_policy'::regclass and p.oid = d.objid
      union all
      select format('alter %s %s alter column %I set default %s', case c.relkind when 'v' then 'view' else 'table' end,
        c.oid::regclass, a.attname, pg_get_expr(f.adbin, f.adrelid))
      from pg_attrdef f join pg_class c on c.oid = f.adrelid
      join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
      where d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
      union all
      select format('alter domain %s set default %s', t.oid::regtype, pg_get_expr(t.typdefaultbin, 0))
      from pg_type t where d.classid = 'pg_type'::regclass and t.oid = d.objid and t.typdefaultbin is not null
      union all
      select pg_get_functiondef(p.oid) from pg_proc p
      where d.classid = 'pg_proc'::regclass and p.oid = d.objid and p.prokind <> 'a'
        and (p.prosqlbody is not null or p.pronargdefaults > 0)
    ) s`);
}

/** Returns the indexes on affected columns or with expressions that use the extension, except those of partitions. */
export interface AffectedIndex extends Rewritten {
  readonly id: string;
  /** The name of the table. */
  readonly relation: string;
}

export async function affectedIndexes(db: Queryable): Promise<AffectedIndex[]> {
  return await db.query<AffectedIndex>(sql`
    select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as relation, i.indexrelid::text as id, pg_get_indexdef(i.indexrelid) as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not c.relispartition
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      and (i.indexrelid in (select objid from pg_temp.vector_dependents where classid = 'pg_class'::regclass)
        or exists (select from pg_temp.vector_columns v where v.relation = i.indrelid and v.number = any (i.indkey::int2[])))`);
}

export async function materializedViews(db: Queryable): Promise<MaterializedView[]> {
  return await db.query<MaterializedView>(sql`
    select c.oid::regclass::text as name, c.oid::text as id, rtrim(pg_get_viewdef(c.oid), ';') as query,
      c.relispopulated as "isPopulated"
    from pg_temp.vector_dependents d join pg_rewrite r on r.oid = d.objid join pg_class c on c.oid = r.ev_class
    where d.classid = 'pg_rewrite'::regclass and c.relkind = 'm' order by c.oid`);
}

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Returns the tables that store values of the types, with the names of the columns. */
export async function storedTables(db: Queryable): Promise<StoredTable[]> {
  return await db.query<StoredTable>(sql`
    select relation::regclass::text as name, array_agg(name::text order by number) as columns
    from pg_temp.vector_columns where kind = 'r' group by relation order by relation`);
}
