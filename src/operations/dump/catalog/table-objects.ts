/** Reads objects that belong to tables: constraints, indexes, statistics, rules, triggers and policies. */
import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogSession } from './session.ts';

interface TableObjectRow {
  readonly oid: number;
  readonly schema: string;
  /** The quoted name. */
  readonly name: string;
  readonly table: string;
  readonly tableOid: number;
}

export interface ConstraintRow extends TableObjectRow {
  readonly type: 'p' | 'u' | 'x' | 'f';
  readonly definition: string;
  readonly index: number;
  readonly isPartitioned: boolean;
}

/**
 * Returns the constraints, without CHECK and NOT NULL constraints and without foreign keys that a partition inherits
 * from its parent.
 */
export const readConstraints = ({ query }: CatalogSession): Promise<ConstraintRow[]> =>
  query(sql`
    select k.oid, n.nspname as schema, quote_ident(k.conname) as name, k.conrelid::regclass::text as table,
      k.conrelid as "tableOid", k.contype as type, pg_get_constraintdef(k.oid) as definition, k.conindid as index,
      c.relkind = 'p' as "isPartitioned"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    where c.oid >= 16384 and k.contype in ('p', 'u', 'x', 'f') and (k.contype <> 'f' or k.conparentid = 0)
      and c.relpersistence <> 't'`);

export interface IndexRow extends TableObjectRow {
  readonly definition: string;
  /** The OID of the constraint to which the index belongs. */
  readonly constraint: number | null;
  /** The partitioned table's index to which this index is attached. */
  readonly parent: { oid: number; identity: string } | null;
  readonly isReplicaIdentity: boolean;
  readonly isClustered: boolean;
  readonly statistics: { column: number; target: number }[] | null;
}

export const readIndexes = ({ query }: CatalogSession): Promise<IndexRow[]> =>
  query(sql`
    select i.indexrelid as oid, n.nspname as schema, quote_ident(x.relname) as name, i.indrelid::regclass::text as table,
      i.indrelid as "tableOid", pg_get_indexdef(i.indexrelid) as definition, k.oid as constraint,
      (select json_build_object('oid', h.inhparent::int8, 'identity', h.inhparent::regclass::text)
        from pg_inherits h where h.inhrelid = i.indexrelid) as parent,
      i.indisreplident as "isReplicaIdentity", i.indisclustered as "isClustered",
      (select json_agg(json_build_object('column', a.attnum, 'target', a.attstattarget) order by a.attnum)
        from pg_attribute a where a.attrelid = i.indexrelid and a.attstattarget >= 0) as statistics
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
    join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = x.relnamespace
    left join pg_constraint k on k.conindid = i.indexrelid and k.conrelid = i.indrelid and k.contype in ('p', 'u', 'x')
    where c.oid >= 16384 and c.relkind in ('r', 'p', 'm') and c.relpersistence <> 't' and n.nspname !~ '^pg_'
      and (i.indisvalid or c.relkind = 'p')`);

export interface DefinitionRow extends TableObjectRow {
  readonly definition: string;
  /** The letter that pg_trigger stores for the enabled state. */
  readonly enabled?: string;
  readonly owner?: string;
  readonly statistics?: number | null;
  /** The schema of a trigger's function. */
  readonly functionSchema?: string;
  /** The OID of the partitioned table's trigger from which PostgreSQL created this trigger, or 0. */
  readonly parent?: number;
}

export const readStatistics = ({ query }: CatalogSession): Promise<DefinitionRow[]> =>
  query(sql`
    select s.oid, n.nspname as schema, format('%I.%I', n.nspname, s.stxname) as name, s.stxrelid::regclass::text as table,
      s.stxrelid as "tableOid", pg_get_statisticsobjdef(s.oid) as definition, pg_get_userbyid(s.stxowner)::text as owner,
      case when s.stxstattarget >= 0 then s.stxstattarget end as statistics
    from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
    where s.oid >= 16384`);

export const readRules = ({ query }: CatalogSession): Promise<DefinitionRow[]> =>
  query(sql`
    select r.oid, n.nspname as schema, quote_ident(r.rulename) as name, r.ev_class::regclass::text as table,
      r.ev_class as "tableOid", pg_get_ruledef(r.oid) as definition, r.ev_enabled as enabled
    from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
    where r.oid >= 16384 and r.rulename <> '_RETURN'`);

/**
 * Returns the triggers, without those that PostgreSQL created for constraints. The definition of a trigger that a
 * partition has from its parent is empty.
 */
export const readTriggers = ({ query }: CatalogSession): Promise<DefinitionRow[]> =>
  query(sql`
    select t.oid, n.nspname as schema, quote_ident(t.tgname) as name, t.tgrelid::regclass::text as table,
      t.tgrelid as "tableOid", case when t.tgparentid = 0 then pg_get_triggerdef(t.oid) else '' end as definition,
      case when t.tgparentid <> 0 and t.tgenabled = 'O' then 'E' else t.tgenabled::text end as enabled, t.tgparentid as parent,
      (select nspname::text from pg_proc p join pg_namespace pn on pn.oid = p.pronamespace where p.oid = t.tgfoid) as "functionSchema"
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_trigger parent on parent.oid = t.tgparentid
    where t.oid >= 16384 and not t.tgisinternal and (t.tgparentid = 0 or t.tgenabled <> parent.tgenabled)`);

export interface PolicyRow extends TableObjectRow {
  readonly command: string;
  readonly isPermissive: boolean;
  /** Role names. The empty string stands for PUBLIC. */
  readonly roles: string[];
  readonly using: string | null;
  readonly check: string | null;
}

export const readPolicies = ({ query }: CatalogSession): Promise<PolicyRow[]> =>
  query(sql`
    select p.oid, n.nspname as schema, quote_ident(p.polname) as name, p.polrelid::regclass::text as table,
      p.polrelid as "tableOid", p.polcmd as command, p.polpermissive as "isPermissive",
      array(select case when r = 0 then '' else pg_get_userbyid(r)::text end from unnest(p.polroles) r order by 1) as roles,
      pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check
    from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
    where p.oid >= 16384`);
