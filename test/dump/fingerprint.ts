/**
 * Reads the catalogs and rows of a database without OIDs, to compare two databases. This module doesn't use any code of
 * the dump.
 */

import { sql } from '../../src/base/kernel/sql.ts';
import type { Client } from '../../src/platform/database/wire/index.ts';

const own = `n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;
const acl = (items: string, type: string, owner: string): string =>
  `(select array_agg(item order by item) from (select format('%s %s %s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege_type, is_grantable) as item
    from aclexplode(coalesce(${items}, acldefault('${type}', ${owner}))) x(grantor, grantee, privilege_type, is_grantable)) items)`;

const queries: Readonly<Record<string, string>> = {
  schemas: `select nspname, nspowner::regrole::text as owner, ${acl('nspacl', 'n', 'nspowner')} as acl, obj_description(oid) as comment
    from pg_namespace n where ${own} order by 1`,
  relations: `select c.oid::regclass::text as name, relkind, relpersistence, relowner::regrole::text as owner, reloptions, relrowsecurity,
      relforcerowsecurity, relreplident, relispartition, relispopulated, pg_get_expr(relpartbound, c.oid) as bound,
      case relkind when 'S' then ${acl('relacl', 's', 'relowner')} else ${acl('relacl', 'r', 'relowner')} end as acl, obj_description(c.oid) as comment, case when relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as query
    from pg_class c join pg_namespace n on n.oid = relnamespace where ${own} order by 1`,
  columns: `select attrelid::regclass::text as relation, row_number() over (partition by attrelid order by attnum) as position, attname,
      format_type(atttypid, atttypmod) as type, attnotnull, attidentity, attgenerated, attstorage, attcompression, attstattarget,
      array(select o from unnest(attoptions) o where o !~ '^pg_attver=') as attoptions, attfdwoptions, attislocal or c.relispartition as local, attcollation::regcollation::text as collation,
      pg_get_expr(adbin, adrelid) as value, attacl::text, col_description(attrelid, attnum) as comment
    from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
    left join pg_attrdef d on adrelid = attrelid and adnum = attnum
    where ${own} and attnum > 0 and not attisdropped order by 1, 2`,
  constraints: `select conname, conrelid::regclass::text as relation, contypid::regtype::text as type, contype, pg_get_constraintdef(k.oid) as definition,
      convalidated, condeferrable, obj_description(k.oid) as comment
    from pg_constraint k join pg_namespace n on n.oid = connamespace where ${own} order by 1, 2, 3`,
  indexes: `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, indisreplident, indisclustered, indisvalid,
      inhparent::regclass::text as parent, obj_description(indexrelid) as comment
    from pg_index i join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = relnamespace left join pg_inherits on inhrelid = indexrelid
    where ${own} order by 1`,
  inheritance: `select inhrelid::regclass::text as child, inhparent::regclass::text as parent from pg_inherits order by 1, 2`,
  sequences: `select s.*, c.oid::regclass::text as name from pg_sequences s join pg_class c on c.relname = sequencename order by schemaname, sequencename`,
  types: `select t.oid::regtype::text as name, typtype, typowner::regrole::text as owner, typnotnull, typdefault, typbasetype::regtype::text as base,
      ${acl('typacl', 'T', 'typowner')} as acl, array(select enumlabel::text from pg_enum where enumtypid = t.oid order by enumsortorder) as labels,
      obj_description(t.oid, 'pg_type') as comment
    from pg_type t join pg_namespace n on n.oid = typnamespace where ${own} order by 1`,
  functions: `select p.oid::regprocedure::text as name, prokind, proowner::regrole::text as owner, case when prokind <> 'a' then pg_get_functiondef(p.oid) end as definition,
      ${acl('proacl', 'f', 'proowner')} as acl, obj_description(p.oid) as comment
    from pg_proc p join pg_namespace n on n.oid = pronamespace where ${own} order by 1`,
  aggregates: `select aggfnoid::regprocedure::text as name, aggtransfn::text, agginitval, aggkind from pg_aggregate a join pg_proc p on p.oid = aggfnoid
    join pg_namespace n on n.oid = pronamespace where ${own} order by 1`,
  operators: `select o.oid::regoperator::text as name, oprcode::text, oprcom::regoperator::text from pg_operator o join pg_namespace n on n.oid = oprnamespace where ${own} order by 1`,
  classes: `select opcname, opcintype::regtype::text as type, opcdefault, (select count(*)::int from pg_amop where amopfamily = opcfamily) as operators,
      (select count(*)::int from pg_amproc where amprocfamily = opcfamily) as functions
    from pg_opclass join pg_namespace n on n.oid = opcnamespace where ${own} order by 1`,
  casts: `select castsource::regtype::text as source, casttarget::regtype::text as target, castfunc::regprocedure::text as function, castcontext
    from pg_cast where oid >= 16384 order by 1, 2`,
  collations: `select collname, collprovider, collisdeterministic, to_jsonb(c) ->> 'colllocale' as locale from pg_collation c join pg_namespace n on n.oid = collnamespace where ${own} order by 1`,
  conversions: `select conname, conproc::text from pg_conversion join pg_namespace n on n.oid = connamespace where ${own} order by 1`,
  searches: `select cfgname, maptokentype, mapseqno, mapdict::regdictionary::text as dictionary
    from pg_ts_config c join pg_namespace n on n.oid = cfgnamespace join pg_ts_config_map on mapcfg = c.oid where ${own} order by 1, 2, 3`,
  foreign: `select srvname, srvtype, srvversion, srvoptions, fdwname, fdwoptions, ${acl('srvacl', 'S', 'srvowner')} as acl
    from pg_foreign_server s join pg_foreign_data_wrapper w on w.oid = srvfdw order by 1`,
  mappings: `select srvname, usename, umoptions from pg_user_mappings order by 1, 2`,
  languages: `select lanname, lanpltrusted, lanplcallfoid::regproc::text, lanowner::regrole::text as owner, ${acl('lanacl', 'l', 'lanowner')} as acl, obj_description(oid) as comment
    from pg_language order by 1`,
  methods: `select amname, amtype, amhandler::text, obj_description(oid) as comment from pg_am order by 1`,
  transforms: `select trftype::regtype::text as type, lanname, trffromsql::regprocedure::text, trftosql::regprocedure::text from pg_transform join pg_language l on l.oid = trflang order by 1`,
  subscriptions: `select subname, subowner::regrole::text as owner, subenabled, subbinary, subslotname, subpublications, subdisableonerr, obj_description(s.oid) as comment,
      subconninfo ~ 'port=1' as connection
    from pg_subscription s join pg_database d on d.oid = subdbid and datname = current_database() order by 1`,
  largeObjects: `select m.oid, lomowner::regrole::text as owner, ${acl('lomacl', 'L', 'lomowner')} as acl, obj_description(m.oid, 'pg_largeobject') as comment,
      encode(sha256(lo_get(m.oid)), 'hex') as content
    from pg_largeobject_metadata m order by 1`,
  rules: `select pg_get_ruledef(oid) as definition, ev_enabled, obj_description(oid) as comment from pg_rewrite where oid >= 16384 order by 1`,
  triggers: `select tgrelid::regclass::text as relation, pg_get_triggerdef(oid) as definition, tgenabled, obj_description(oid) as comment
    from pg_trigger where not tgisinternal order by 1, 2`,
  policies: `select polrelid::regclass::text as relation, polname, polcmd, polpermissive, polroles::regrole[]::text as roles, pg_get_expr(polqual, polrelid) as using,
      pg_get_expr(polwithcheck, polrelid) as check, obj_description(oid) as comment from pg_policy order by 1, 2`,
  statistics: `select pg_get_statisticsobjdef(oid) as definition from pg_statistic_ext order by 1`,
  events: `select evtname, evtevent, evtenabled, evttags, evtfoid::regproc::text as function, obj_description(oid) as comment from pg_event_trigger order by 1`,
  publications: `select pubname, pubinsert, pubdelete, pubviaroot, prrelid::regclass::text as relation, prattrs::text, pg_get_expr(prqual, prrelid) as where, nspname
    from pg_publication p left join pg_publication_rel r on prpubid = p.oid left join pg_publication_namespace s on pnpubid = p.oid
    left join pg_namespace on pg_namespace.oid = pnnspid order by 1, 5`,
  defaults: `select defaclrole::regrole::text as role, nspname, defaclobjtype, array(select i::text from unnest(defaclacl) i order by 1) as items
    from pg_default_acl left join pg_namespace n on n.oid = defaclnamespace order by 1, 2, 3`,
  extensions: `select extname, nspname, extversion from pg_extension join pg_namespace on pg_namespace.oid = extnamespace order by 1`,
};

export async function readFingerprint(
  client: Pick<Client, 'exec' | 'query'>,
): Promise<Record<string, readonly object[]>> {
  await client.exec("set search_path = ''");
  const result: Record<string, readonly object[]> = {};
  for (const [name, text] of Object.entries(queries)) result[name] = await client.query(sql.raw(text));
  const tables = await client.query<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'm') and relispopulated and ${sql.raw(own)} order by 1`);
  for (const { name } of tables) {
    const rows = await client.query<{ row: string }>(
      sql.raw(`select t::text as row from only ${name} t order by t::text`),
    );
    result.rows = [...(result.rows ?? []), { name, rows: rows.map(({ row }) => row) }];
  }
  return result;
}
