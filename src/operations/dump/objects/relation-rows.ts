/** Reads tables, partitions, foreign tables, views and sequences. */
import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogSession } from '../types.ts';

export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  /** The relation kind in `pg_class.relkind`: r, p, f, v or m. */
  readonly kind: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly rowType: number;
  readonly rule: number | null;
  readonly unlogged: boolean;
  readonly options: string[];
  /** The options of the TOAST table, with the prefix `toast.`. */
  readonly toastOptions: string[];
  readonly accessMethod: string | null;
  readonly ofType: string | null;
  readonly partitionKey: string | null;
  /** The parent and the bounds of the relation, if it is a partition. */
  readonly partition: { parent: string; parentOid: number; bound: string } | null;
  readonly parents: { oid: number; identity: string }[];
  readonly replicaIdentity: string;
  readonly rowSecurity: boolean;
  readonly forceRowSecurity: boolean;
  readonly server: string | null;
  readonly foreignOptions: string[] | null;
  readonly columns: ColumnRow[];
  readonly checks: CheckRow[];
  readonly query: string | null;
  readonly populated: boolean;
}

export interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly notNull: boolean;
  /** The name of the NOT NULL constraint (PostgreSQL 18), if the name isn't the default name. */
  readonly notNullName: string | null;
  readonly notNullOptions: string;
  readonly defaultOid: number | null;
  readonly default: string | null;
  /** `s` for stored generated columns, `v` for virtual generated columns, and an empty string for other columns. */
  readonly generated: string;
  readonly identity: string;
  readonly identitySequence: string | null;
  readonly identityOptions: string | null;
  /** Whether the table itself defines the column, instead of only a parent table. */
  readonly local: boolean;
  readonly storage: string | null;
  readonly compression: string | null;
  readonly statistics: number | null;
  readonly options: string[];
  readonly foreignOptions: string[] | null;
  readonly acl: string[] | null;
}

/** A CHECK constraint, or a NOT NULL constraint that isn't validated (PostgreSQL 18). */
interface CheckRow {
  readonly oid: number;
  readonly name: string;
  readonly definition: string;
  readonly valid: boolean;
  readonly local: boolean;
}

const sequenceOptions = sql.raw(`
  'START WITH ' || s.seqstart || ' INCREMENT BY ' || s.seqincrement || ' MINVALUE ' || s.seqmin || ' MAXVALUE ' || s.seqmax
    || ' CACHE ' || s.seqcache || case when s.seqcycle then ' CYCLE' else '' end`);

/**
 * The prefix of an internal option that recent minor versions of PostgreSQL store, and that ALTER TABLE doesn't accept.
 */
const versionOption = 'pg_attver=';

export async function readRelations({ query, serverVersion }: CatalogSession): Promise<RelationRow[]> {
  const named = serverVersion >= 180_000;
  const notNull = named
    ? sql.raw(
        `left join pg_constraint nn on nn.conrelid = a.attrelid and nn.contype = 'n' and nn.conkey = array[a.attnum]`,
      )
    : sql.raw('');
  const notNullName = named
    ? sql.raw(
        `case when nn.conname <> c.relname || '_' || a.attname || '_not_null' then quote_ident(nn.conname) end`,
      )
    : sql.raw('null::text');
  const notNullOptions = named
    ? sql.raw(`case when nn.connoinherit then ' NO INHERIT' else '' end`)
    : sql.raw(`''`);
  const isNotNull = named
    ? sql.raw(
        '(a.attnotnull and coalesce(nn.conislocal or c.relispartition, true) and coalesce(nn.convalidated, true))',
      )
    : sql.raw('a.attnotnull');
  return await query(sql`
    select c.oid, n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as identity, c.relkind as kind,
      pg_get_userbyid(c.relowner)::text as owner, c.relacl::text[] as acl, c.reltype as "rowType",
      (select r.oid from pg_rewrite r where r.ev_class = c.oid and r.rulename = '_RETURN') as rule,
      c.relpersistence = 'u' as unlogged,
      coalesce(c.reloptions, '{}') as options,
      array(select 'toast.' || o from unnest(t.reloptions) o) as "toastOptions",
      case when am.amname <> 'heap' then quote_ident(am.amname) end as "accessMethod",
      case when c.reloftype <> 0 then format_type(c.reloftype, null) end as "ofType",
      case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as "partitionKey",
      case when c.relispartition then (
        select json_build_object('parent', i.inhparent::regclass::text, 'parentOid', i.inhparent::int8,
          'bound', pg_get_expr(c.relpartbound, c.oid))
        from pg_inherits i where i.inhrelid = c.oid) end as partition,
      coalesce((select json_agg(json_build_object('oid', i.inhparent::int8, 'identity', i.inhparent::regclass::text) order by i.inhseqno)
        from pg_inherits i where i.inhrelid = c.oid and not c.relispartition), '[]') as parents,
      c.relreplident as "replicaIdentity", c.relrowsecurity as "rowSecurity", c.relforcerowsecurity as "forceRowSecurity",
      quote_ident(fs.srvname) as server, ft.ftoptions as "foreignOptions",
      coalesce((
        select json_agg(json_build_object(
          'name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
          'collation', case when a.attcollation <> at.typcollation then (
            select format('%I.%I', cn.nspname, co.collname) from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace
            where co.oid = a.attcollation) end,
          'notNull', ${isNotNull}, 'notNullName', ${notNullName}, 'notNullOptions', ${notNullOptions},
          'defaultOid', d.oid::int8, 'default', pg_get_expr(d.adbin, d.adrelid),
          'generated', a.attgenerated, 'identity', case when s.seqrelid is not null then a.attidentity::text else '' end,
          'identitySequence', s.seqrelid::regclass::text, 'identityOptions', ${sequenceOptions},
          'local', a.attislocal or c.relispartition,
          'storage', case when a.attstorage <> at.typstorage then
            case a.attstorage when 'p' then 'PLAIN' when 'e' then 'EXTERNAL' when 'm' then 'MAIN' else 'EXTENDED' end end,
          'compression', case a.attcompression when 'p' then 'pglz' when 'l' then 'lz4' end,
          'statistics', case when a.attstattarget >= 0 then a.attstattarget end,
          'options', array(select o from unnest(a.attoptions) o where not starts_with(o, ${versionOption})), 'foreignOptions', a.attfdwoptions, 'acl', a.attacl::text[]
        ) order by a.attnum)
        from pg_attribute a
        join pg_type at on at.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        left join pg_depend dep on a.attidentity <> '' and dep.refclassid = 'pg_class'::regclass and dep.refobjid = a.attrelid
          and dep.refobjsubid = a.attnum and dep.classid = 'pg_class'::regclass and dep.deptype = 'i'
        left join pg_sequence s on s.seqrelid = dep.objid
        ${notNull}
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
      coalesce((
        select json_agg(json_build_object('oid', k.oid::int8, 'name', quote_ident(k.conname),
          'definition', pg_get_constraintdef(k.oid), 'valid', k.convalidated, 'local', k.conislocal or c.relispartition)
          order by k.conname)
        from pg_constraint k where k.conrelid = c.oid and (k.contype = 'c' or (k.contype = 'n' and not k.convalidated))), '[]') as checks,
      case when c.relkind in ('v', 'm') then rtrim(pg_get_viewdef(c.oid), ';') end as query,
      c.relispopulated as populated
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_class t on t.oid = c.reltoastrelid
    left join pg_am am on am.oid = c.relam
    left join pg_foreign_table ft on ft.ftrelid = c.oid
    left join pg_foreign_server fs on fs.oid = ft.ftserver
    where c.oid >= 16384 and c.relkind in ('r', 'p', 'f', 'v', 'm') and c.relpersistence <> 't'
      and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`);
}

export interface SequenceRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly unlogged: boolean;
  readonly type: string;
  readonly options: string;
  /** The column that OWNED BY specifies. */
  readonly ownedBy: { table: string; tableOid: number; column: string } | null;
  /** Whether the sequence belongs to an identity column. Such a sequence is created together with its column. */
  readonly isIdentity: boolean;
}

export const readSequences = ({ query }: CatalogSession): Promise<SequenceRow[]> =>
  query(sql`
    select c.oid, n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as identity,
      pg_get_userbyid(c.relowner)::text as owner, c.relacl::text[] as acl, c.relpersistence = 'u' as unlogged,
      format_type(s.seqtypid, null) as type, ${sequenceOptions} as options,
      case when dep.objid is not null then json_build_object('table', dep.refobjid::regclass::text,
        'tableOid', dep.refobjid::int8, 'column', quote_ident(a.attname)) end as "ownedBy",
      coalesce(dep.deptype = 'i', false) as "isIdentity"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_sequence s on s.seqrelid = c.oid
    left join pg_depend dep on dep.classid = 'pg_class'::regclass and dep.objid = c.oid and dep.refclassid = 'pg_class'::regclass
      and dep.refobjsubid > 0 and dep.deptype in ('a', 'i')
    left join pg_attribute a on a.attrelid = dep.refobjid and a.attnum = dep.refobjsubid
    where c.oid >= 16384 and c.relpersistence <> 't' and n.nspname !~ '^pg_'`);

/**
 * Reads the sequence's current value. This value isn't part of the snapshot, because sequences aren't transactional.
 */
export const readSequenceValue = async (
  { query }: CatalogSession,
  sequence: string,
): Promise<{ lastValue: string; isCalled: boolean }> => {
  const [row] = await query<{ lastValue: string; isCalled: boolean }>(
    sql`select last_value::text as "lastValue", is_called as "isCalled" from ${sql.raw(sequence)}`,
  );
  return row as { lastValue: string; isCalled: boolean };
};
