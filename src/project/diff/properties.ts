/**
 * Reads properties that pg-delta doesn't model. Each of these properties differs from its default and is set by a
 * single statement.
 */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { Membership } from './core/normalize.ts';
import type { Property } from './core/properties.ts';
import type { ScriptedMember, VirtualColumn } from './types.ts';

const triggerState = (alias: string) =>
  sql.raw(
    `case ${alias}.tgenabled when 'D' then 'DISABLE' when 'R' then 'ENABLE REPLICA' when 'A' then 'ENABLE ALWAYS' else 'ENABLE' end`,
  );

export async function readProperties({ query, serverVersion }: CopySession): Promise<Property[]> {
  const ofTable = sql`select c.oid, n.nspname::text as schema, c.relname::text as relation, c.oid::regclass::text as identity,
      case c.relkind when 'f' then 'FOREIGN TABLE' when 'm' then 'MATERIALIZED VIEW' else 'TABLE' end as kind,
      c.reltoastrelid, c.reloftype
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid >= 16384 and c.relkind in ('r', 'p', 'f', 'm') and c.relpersistence <> 't'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
  const rows = await query<Property & object>(sql`
    with tables as (${ofTable}),
    columns as (
      select t.schema, t.relation, a.attname::text as "column",
        format('ALTER %s %s ALTER COLUMN %I', t.kind, t.identity, a.attname) as prefix, a.*, y.typstorage
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      join pg_type y on y.oid = a.atttypid)
    select schema, relation, "column", 'storage' as property, prefix || ' SET STORAGE '
        || case attstorage when 'p' then 'PLAIN' when 'e' then 'EXTERNAL' when 'm' then 'MAIN' else 'EXTENDED' end as set,
      prefix || ' SET STORAGE DEFAULT' as reset
    from columns where attstorage <> typstorage
    union all
    select schema, relation, "column", 'compression', prefix || ' SET COMPRESSION '
        || case attcompression when 'l' then 'lz4' else 'pglz' end, prefix || ' SET COMPRESSION default'
    from columns where attcompression <> ''
    union all
    select schema, relation, "column", 'statistics', format('%s SET STATISTICS %s', prefix, attstattarget), prefix || ' SET STATISTICS -1'
    from columns where attstattarget >= 0
    union all
    select schema, relation, "column", 'option ' || option_name, format('%s SET (%I = %L)', prefix, option_name, option_value),
      format('%s RESET (%I)', prefix, option_name)
    from columns, pg_options_to_table(attoptions)
    union all
    select schema, relation, null, 'toast option ' || option_name,
      format('ALTER %s %s SET (toast.%I = %L)', kind, identity, option_name, option_value),
      format('ALTER %s %s RESET (toast.%I)', kind, identity, option_name)
    from tables t join pg_class toast on toast.oid = t.reltoastrelid, pg_options_to_table(toast.reloptions)
    -- A table keeps its TOAST table after the columns that needed it were dropped. A new copy has none, and PostgreSQL
    -- then ignores the options.
    where exists (select from pg_attribute a where a.attrelid = t.oid and not a.attisdropped and a.attstorage <> 'p')
    union all
    select schema, relation, null, 'type', format('ALTER TABLE %s OF %s', identity, reloftype::regtype),
      format('ALTER TABLE %s NOT OF', identity)
    from tables where reloftype <> 0
    union all
    select schema, relation, null, 'cluster', format('ALTER %s %s CLUSTER ON %I', t.kind, t.identity, x.relname),
      format('ALTER %s %s SET WITHOUT CLUSTER', t.kind, t.identity)
    from tables t join pg_index i on i.indrelid = t.oid and i.indisclustered join pg_class x on x.oid = i.indexrelid
    union all
    select schema, relation, null, format('statistics of %s column %s', i.indexrelid::regclass, a.attnum),
      format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', i.indexrelid::regclass, a.attnum, a.attstattarget),
      format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS -1', i.indexrelid::regclass, a.attnum)
    from tables t join pg_index i on i.indrelid = t.oid join pg_attribute a on a.attrelid = i.indexrelid and a.attstattarget >= 0
    union all
    ${otherProperties(serverVersion)}
    union all
    select schema, relation, "column", 'privileges of the sequence', concat_ws(E';\n',
        (select string_agg(format('REVOKE ALL ON SEQUENCE %s FROM %s', s.oid::regclass, g.name), E';\n' order by g.name)
          from (select distinct case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end as name
            from (select grantee from aclexplode(s.relacl) union
              select x.grantee from pg_default_acl f, aclexplode(f.defaclacl) x where f.defaclobjtype = 'S' and f.defaclrole = s.relowner
                and f.defaclnamespace in (0, s.relnamespace)) e where grantee <> s.relowner) g),
        (select string_agg(statement, E';\n' order by statement) from (
          select format('GRANT %s ON SEQUENCE %s TO %s%s', string_agg(privilege_type, ', ' order by privilege_type), s.oid::regclass,
            case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end,
            case when is_grantable then ' WITH GRANT OPTION' else '' end) as statement
          from aclexplode(s.relacl) where grantee <> s.relowner group by grantee, is_grantable) g)),
      ''
    from columns join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = attrelid and d.refobjsubid = attnum
      and d.classid = 'pg_class'::regclass and d.deptype = 'i'
    join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where attidentity <> '' and (s.relacl is not null or exists (select from pg_default_acl f where f.defaclobjtype = 'S'
      and f.defaclrole = s.relowner and f.defaclnamespace in (0, s.relnamespace)))
    union all
    -- Used only if a stored column becomes virtual: a new column is created with the right kind.
    select schema, relation, "column", 'virtual', format(E'ALTER TABLE %1$s DROP COLUMN %2$I;\nALTER TABLE %1$s ADD COLUMN %2$I %3$s GENERATED ALWAYS AS (%4$s) VIRTUAL',
        attrelid::regclass, "column", format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid)),
      format(E'ALTER TABLE %1$s DROP COLUMN %2$I;\nALTER TABLE %1$s ADD COLUMN %2$I %3$s GENERATED ALWAYS AS (%4$s) STORED',
        attrelid::regclass, "column", format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid))
    from columns join pg_attrdef on adrelid = attrelid and adnum = attnum where attgenerated = 'v' and attislocal
    union all
    select 'public', '', null, 'owner', format('ALTER SCHEMA public OWNER TO %I', pg_get_userbyid(nspowner)),
      'ALTER SCHEMA public OWNER TO pg_database_owner'
    from pg_namespace where nspname = 'public' and nspowner <> 'pg_database_owner'::regrole
    union all
    select schema, relation, "column", 'foreign option ' || option_name,
      format('%s OPTIONS (ADD %I %L)', prefix, option_name, option_value), format('%s OPTIONS (DROP %I)', prefix, option_name)
    from columns, pg_options_to_table(attfdwoptions)
    order by 1 nulls first, 2, 3 nulls first, 4`);
  return rows.filter(({ set }) => set !== '');
}

/**
 * Returns a query for properties of triggers, comments and defaults, and of all objects other than tables and columns.
 */
function otherProperties(serverVersion: number): Sql {
  const generated = sql.raw(serverVersion >= 180_000 ? "p.pubgencols::text = 's'" : 'false');
  return sql`
    -- The trigger of a partition has the state of its parent until it is changed.
    select n.nspname, c.relname, null, 'trigger ' || t.tgname,
      format('ALTER TABLE ONLY %s %s TRIGGER %I', c.oid::regclass, ${triggerState('t')}, t.tgname),
      format('ALTER TABLE ONLY %s %s TRIGGER %I', c.oid::regclass, ${triggerState('p')}, t.tgname)
    from pg_trigger t join pg_trigger p on p.oid = t.tgparentid and p.tgenabled <> t.tgenabled
    join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and c.oid >= 16384
    union all
    select null, p.pubname::text, null, 'generated columns', format('ALTER PUBLICATION %I SET (publish_generated_columns = stored)', pubname),
      format('ALTER PUBLICATION %I SET (publish_generated_columns = none)', pubname)
    -- Plinth configures the publication of the realtime service itself.
    from pg_publication p where ${generated} and pubname <> 'supabase_realtime'
    union all
    -- pg-delta reads the comments of table columns only.
    select n.nspname, c.relname, a.attname, 'comment', format('COMMENT ON COLUMN %s.%I IS %L', c.oid::regclass, a.attname, d.description),
      format('COMMENT ON COLUMN %s.%I IS NULL', c.oid::regclass, a.attname)
    from pg_description d join pg_class c on d.classoid = 'pg_class'::regclass and c.oid = d.objoid join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    where d.objsubid > 0 and c.oid >= 16384 and c.relkind in ('v', 'm', 'c')
      and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
    union all
    select n.nspname, t.relname, null, 'comment of index ' || c.relname, format('COMMENT ON INDEX %s IS %L', c.oid::regclass, d.description),
      format('COMMENT ON INDEX %s IS NULL', c.oid::regclass)
    from pg_description d join pg_class c on d.classoid = 'pg_class'::regclass and c.oid = d.objoid and d.objsubid = 0
    join pg_namespace n on n.oid = c.relnamespace join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = i.indrelid
    where c.oid >= 16384 and exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x'))
    union all
    select n.nspname, c.relname, a.attname, 'default', format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', c.oid::regclass, a.attname, pg_get_expr(f.adbin, f.adrelid)),
      format('ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT', c.oid::regclass, a.attname)
    from pg_attrdef f join pg_class c on c.oid = f.adrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum = f.adnum
    where c.oid >= 16384 and a.attgenerated = '' and (c.relkind = 'v' or (not a.attislocal and not c.relispartition
      and not exists (select from pg_inherits i join pg_attribute pa on pa.attrelid = i.inhparent and pa.attname = a.attname
        join pg_attrdef pf on pf.adrelid = pa.attrelid and pf.adnum = pa.attnum
        where i.inhrelid = c.oid and pg_get_expr(pf.adbin, pf.adrelid) = pg_get_expr(f.adbin, f.adrelid))))
    union all
    select n.nspname, c.relname, null, 'unlogged sequence', format('ALTER SEQUENCE %s SET UNLOGGED', c.oid::regclass),
      format('ALTER SEQUENCE %s SET LOGGED', c.oid::regclass)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid >= 16384 and c.relkind = 'S' and c.relpersistence = 'u'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
    union all
    -- pg-delta doesn't read the base types of extensions.
    select n.nspname, t.typname, null, 'privileges of a type of ' || e.extname,
      concat_ws(E';\n', revoked.text, (select string_agg(format('GRANT USAGE ON TYPE %s TO %s%s', t.oid::regtype, g.name,
          case when g.is_grantable then ' WITH GRANT OPTION' else '' end), E';\n' order by g.name)
        from (select case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end as name, is_grantable
          from aclexplode(coalesce(t.typacl, standard)) where grantee <> t.typowner) g)),
      format(E'%s;\nGRANT USAGE ON TYPE %s TO PUBLIC', revoked.text, t.oid::regtype)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    join pg_depend d on d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e' join pg_extension e on e.oid = d.refobjid
    cross join lateral acldefault('T', t.typowner) as standard
    cross join lateral (select format('REVOKE ALL ON TYPE %s FROM %s', t.oid::regtype, string_agg(name, ', ' order by name)) as text
      from (select 'PUBLIC' as name union select quote_ident(pg_get_userbyid(grantee)) from aclexplode(t.typacl) where grantee not in (0, t.typowner)
        union select quote_ident(pg_get_userbyid(x.grantee)) from pg_default_acl a, aclexplode(a.defaclacl) x where a.defaclobjtype = 'T'
          and a.defaclrole = t.typowner and a.defaclnamespace in (0, t.typnamespace) and x.grantee not in (0, t.typowner)) r) revoked
    where t.typtype = 'b' and not exists (select from pg_type element where element.typarray = t.oid)
      and (exists (select unnest(t.typacl)::text except select unnest(standard)::text)
        or t.typacl is not null and exists (select unnest(standard)::text except select unnest(t.typacl)::text)
        or exists (select from pg_default_acl a where a.defaclobjtype = 'T' and a.defaclrole = t.typowner
          and a.defaclnamespace in (0, t.typnamespace)))`;
}

export const readVirtualColumns = ({ query }: CopySession): Promise<VirtualColumn[]> =>
  query(sql`
    select n.nspname as schema, c.relname as relation, a.attname as "column", pg_get_expr(adbin, adrelid) as expression
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_attrdef on adrelid = a.attrelid and adnum = a.attnum
    where a.attgenerated = 'v' and c.oid >= 16384`);

export const readScriptedMembers = ({ query }: CopySession): Promise<ScriptedMember[]> =>
  query(sql`
    select n.nspname::text as schema, o.name::text as name,
      array_agg(distinct case grantee when 0 then 'PUBLIC' else pg_get_userbyid(grantee)::text end) as grantees
    from pg_init_privs i join (
      select 'pg_proc'::regclass as classid, oid, pronamespace as namespace, proname as name from pg_proc
      union all select 'pg_class'::regclass, oid, relnamespace, relname from pg_class
      union all select 'pg_type'::regclass, oid, typnamespace, typname from pg_type
    ) o on o.classid = i.classoid and o.oid = i.objoid
    join pg_namespace n on n.oid = o.namespace left join aclexplode(i.initprivs) x on true
    where i.privtype = 'e' group by 1, 2`);

/**
 * Reads the memberships that GRANT statements created. Before PostgreSQL 16, CREATE ROLE didn't grant the role to its
 * creator.
 */
export function readMemberships({ query, serverVersion }: CopySession): Promise<Membership[]> {
  const isAutomatic = sql.raw(
    serverVersion >= 160_000
      ? 'm.grantor = 10 and m.admin_option and not m.inherit_option and not m.set_option'
      : 'false',
  );
  return query(sql`
    select pg_get_userbyid(m.roleid)::text as role, pg_get_userbyid(m.member)::text as member, bool_or(m.admin_option) as admin
    from pg_auth_members m where not (${isAutomatic}) group by 1, 2`);
}

/** Returns the comments that CREATE EXTENSION gives the installed extensions. */
export async function readExtensionComments({ query }: CopySession): Promise<Map<string, string>> {
  const rows = await query<{ name: string; comment: string }>(sql`
    select e.extname::text as name, a.comment from pg_extension e join pg_available_extensions a on a.name = e.extname
    where a.comment is not null`);
  return new Map(rows.map(({ name, comment }) => [name, comment]));
}
