import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { ConstraintRow, DefinitionRow, IndexRow, PolicyRow } from '../catalog/table-objects.ts';
import { list } from '../core/text.ts';
import type { CatalogObject, ObjectKind } from '../types.ts';

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
