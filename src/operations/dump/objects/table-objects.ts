/** Reads objects that belong to tables: constraints, indexes, statistics, rules, triggers and policies. */
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { list } from '../core/text.ts';
import type { CatalogObject, CatalogSession, ObjectKind } from '../types.ts';

interface TableObjectRow {
  readonly oid: number;
  readonly schema: string;
  /** The quoted name. */
  readonly name: string;
  readonly table: string;
  readonly tableOid: number;
}

interface ConstraintRow extends TableObjectRow {
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

interface IndexRow extends TableObjectRow {
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

interface DefinitionRow extends TableObjectRow {
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

interface PolicyRow extends TableObjectRow {
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

/** Returns the identity in the form that COMMENT ON requires: `items_pkey ON public.items`. */
const on = ({ name, table }: { readonly name: string; readonly table: string }): string =>
  `${name} ON ${table}`;

export function constraintObject(row: ConstraintRow): CatalogObject {
  const isForeignKey = row.type === 'f';
  const only = row.isPartitioned && isForeignKey ? '' : 'ONLY ';
  return {
    key: `pg_constraint:${row.oid}`,
    aliases: row.index === 0 || isForeignKey ? [] : [`pg_class:${row.index}`],
    kind: isForeignKey ? 'FOREIGN KEY' : 'CONSTRAINT',
    schema: row.schema,
    name: on(row),
    identity: on(row),
    section: 'post',
    needs: [`pg_class:${row.tableOid}`],
    create: () => [`ALTER TABLE ${only}${row.table} ADD CONSTRAINT ${row.name} ${row.definition}`],
  };
}

/** The index of a constraint is created together with the constraint, so only the index's properties must be set. */
export function indexObjects(row: IndexRow): CatalogObject[] {
  const identity = `${quoteIdentifier(row.schema)}.${row.name}`;
  const { constraint, parent } = row;
  const ownKey = constraint === null ? `pg_class:${row.oid}` : `pg_constraint:${constraint}`;
  const table = `ALTER TABLE ${row.table}`;
  const properties = [
    ...(row.isClustered ? [`${table} CLUSTER ON ${row.name}`] : []),
    ...(row.isReplicaIdentity
      ? [`ALTER TABLE ONLY ${row.table} REPLICA IDENTITY USING INDEX ${row.name}`]
      : []),
    ...(row.statistics ?? []).map(
      ({ column, target }) => `ALTER INDEX ${identity} ALTER COLUMN ${column} SET STATISTICS ${target}`,
    ),
  ];
  const common = { kind: 'INDEX', schema: row.schema, name: on(row), section: 'post' } as const;
  const created: CatalogObject[] =
    constraint === null
      ? [
          {
            ...common,
            key: ownKey,
            identity,
            needs: [`pg_class:${row.tableOid}`],
            ignores: parent === null ? [] : [`pg_class:${parent.oid}`],
            create: () => [row.definition, ...properties],
          },
        ]
      : properties.length === 0
        ? []
        : [
            {
              ...common,
              key: `index-properties:${row.oid}`,
              identity,
              needs: [ownKey],
              create: () => properties,
            },
          ];
  if (parent === null) return created;
  return [
    ...created,
    {
      key: `index-partition:${row.oid}`,
      kind: 'INDEX PARTITION',
      schema: row.schema,
      name: on(row),
      identity,
      section: 'post',
      needs: [ownKey, `pg_class:${parent.oid}`],
      create: () => [`ALTER INDEX ${parent.identity} ATTACH PARTITION ${identity}`],
    },
  ];
}

const definitionObject = (
  row: DefinitionRow,
  catalog: string,
  kind: ObjectKind,
  statements: readonly string[],
): CatalogObject => ({
  key: `${catalog}:${row.oid}`,
  kind,
  schema: row.schema,
  name: on(row),
  identity: kind === 'STATISTICS' ? row.name : on(row),
  section: 'post',
  owner: row.owner,
  functionSchema: row.functionSchema,
  needs: [`pg_class:${row.tableOid}`],
  create: () => statements,
});

export const statisticsObject = (row: DefinitionRow): CatalogObject =>
  definitionObject(row, 'pg_statistic_ext', 'STATISTICS', [
    row.definition,
    ...(row.statistics == null ? [] : [`ALTER STATISTICS ${row.name} SET STATISTICS ${row.statistics}`]),
  ]);

const states: Readonly<Record<string, string>> = {
  A: 'ENABLE ALWAYS',
  R: 'ENABLE REPLICA',
  D: 'DISABLE',
  E: 'ENABLE',
};

const stateOf = ({ enabled = '', table, name }: DefinitionRow, noun: string): string[] =>
  states[enabled] === undefined ? [] : [`ALTER TABLE ${table} ${states[enabled]} ${noun} ${name}`];

export const ruleObject = (row: DefinitionRow): CatalogObject =>
  definitionObject(row, 'pg_rewrite', 'RULE', [row.definition.replace(/;$/, ''), ...stateOf(row, 'RULE')]);

/**
 * A partition inherits its parent's triggers. Only the state of an inherited trigger is set, and only if the state
 * differs from that of the parent's trigger.
 */
export function triggerObject(row: DefinitionRow): CatalogObject {
  const created = row.definition === '' ? [] : [row.definition];
  const object = definitionObject(row, 'pg_trigger', 'TRIGGER', [...created, ...stateOf(row, 'TRIGGER')]);
  return row.parent ? { ...object, needs: [...(object.needs ?? []), `pg_trigger:${row.parent}`] } : object;
}

const commands: Readonly<Record<string, string>> = {
  r: ' FOR SELECT',
  a: ' FOR INSERT',
  w: ' FOR UPDATE',
  d: ' FOR DELETE',
};

export function policyObject(row: PolicyRow): CatalogObject {
  const roles = row.roles.map((role) => (role === '' ? 'PUBLIC' : quoteIdentifier(role)));
  const text = [
    `CREATE POLICY ${row.name} ON ${row.table}`,
    row.isPermissive ? '' : ' AS RESTRICTIVE',
    commands[row.command] ?? '',
    ` TO ${list(roles)}`,
    row.using === null ? '' : ` USING (${row.using})`,
    row.check === null ? '' : ` WITH CHECK (${row.check})`,
  ].join('');
  return {
    key: `pg_policy:${row.oid}`,
    kind: 'POLICY',
    schema: row.schema,
    name: on(row),
    identity: on(row),
    section: 'post',
    needs: [`pg_class:${row.tableOid}`],
    create: () => [text],
  };
}
