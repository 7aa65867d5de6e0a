/** Renders tables, partitions, foreign tables, views and sequences. */

import { foreignOptions, lines, list, options } from '../core/text.ts';
import type { CatalogObject, Part } from '../types.ts';
import type { ColumnRow, RelationRow, SequenceRow } from './relation-rows.ts';

export function relationObjects(row: RelationRow): CatalogObject[] {
  if (row.query !== null) return [viewObject(row, row.query)];
  return [tableObject(row), ...attachObject(row), ...rowSecurityObject(row)];
}

const aclOf = (row: RelationRow): CatalogObject['acl'] => ({
  target: 'TABLE',
  items: row.acl,
  columns: row.columns.flatMap(({ name, acl }) => (acl === null ? [] : [{ column: name, items: acl }])),
});

function tableObject(row: RelationRow): CatalogObject {
  return {
    key: `pg_class:${row.oid}`,
    aliases: [`pg_type:${row.rowType}`],
    kind: row.kind === 'f' ? 'FOREIGN TABLE' : 'TABLE',
    schema: row.schema,
    name: row.name,
    identity: row.identity,
    section: 'pre',
    owner: row.owner,
    acl: aclOf(row),
    // A partition is attached in a separate statement, so it can be created before its parent.
    ignores: row.partition === null ? [] : [`pg_class:${row.partition.parentOid}`],
    needs: row.parents.map(({ oid }) => `pg_class:${oid}`),
    parts: [...defaultParts(row), ...checkParts(row)],
    create: (separate) => [createTable(row, separate), ...alterations(row)],
  };
}

function createTable(row: RelationRow, separate: ReadonlySet<string>): string {
  const isForeign = row.kind === 'f';
  const columns = row.columns
    .filter((column) => column.local)
    .flatMap((column) => columnText(row, column, separate));
  const checks = row.checks
    .filter(({ local, oid }) => local && !separate.has(`pg_constraint:${oid}`))
    .map(({ name, definition }) => `CONSTRAINT ${name} ${definition}`);
  const items = [...columns, ...checks];
  const withOptions = [...row.options, ...row.toastOptions];
  const parents = row.parents.map(({ identity }) => identity);
  return [
    `CREATE ${row.unlogged ? 'UNLOGGED ' : ''}${isForeign ? 'FOREIGN ' : ''}TABLE ${row.identity}`,
    row.ofType === null ? '' : ` OF ${row.ofType}`,
    row.ofType !== null && items.length === 0 ? '' : ` ${lines(items)}`,
    parents.length === 0 ? '' : `\nINHERITS (${list(parents)})`,
    row.partitionKey === null ? '' : `\nPARTITION BY ${row.partitionKey}`,
    row.accessMethod === null ? '' : `\nUSING ${row.accessMethod}`,
    withOptions.length === 0 ? '' : `\nWITH (${options(withOptions)})`,
    isForeign ? `\nSERVER ${row.server}${foreignOptions(row.foreignOptions)}` : '',
  ].join('');
}

/** Returns the definition of a column, or an empty list for a column without options in a typed table. */
function columnText(row: RelationRow, column: ColumnRow, separate: ReadonlySet<string>): string[] {
  const clauses = [
    ...(column.collation === null || row.ofType !== null ? [] : [`COLLATE ${column.collation}`]),
    ...valueClause(column, separate),
    ...(column.notNull ? [notNullClause(column)] : []),
  ];
  if (row.ofType !== null)
    return clauses.length === 0 ? [] : [`${column.name} WITH OPTIONS ${clauses.join(' ')}`];
  const foreign = foreignOptions(column.foreignOptions);
  return [[column.name, `${column.type}${foreign}`, ...clauses].join(' ')];
}

const notNullClause = ({ notNullName, notNullOptions }: ColumnRow): string =>
  `${notNullName === null ? '' : `CONSTRAINT ${notNullName} `}NOT NULL${notNullOptions}`;

function valueClause(column: ColumnRow, separate: ReadonlySet<string>): string[] {
  if (column.identity !== '') {
    const when = column.identity === 'a' ? 'ALWAYS' : 'BY DEFAULT';
    return [
      `GENERATED ${when} AS IDENTITY (SEQUENCE NAME ${column.identitySequence} ${column.identityOptions})`,
    ];
  }
  if (column.default === null || separate.has(`pg_attrdef:${column.defaultOid}`)) return [];
  if (column.generated === '') return [`DEFAULT ${column.default}`];
  return [`GENERATED ALWAYS AS (${column.default}) ${column.generated === 's' ? 'STORED' : 'VIRTUAL'}`];
}

/**
 * Returns the defaults that can be set separately. A generated column can't be created without its expression, and an
 * inherited column's default is always set by a separate statement.
 */
const defaultParts = (row: RelationRow): Part[] =>
  row.columns.flatMap((column) =>
    column.default === null || column.generated !== '' || !column.local
      ? []
      : [
          {
            key: `pg_attrdef:${column.defaultOid}`,
            statement: `ALTER TABLE ONLY ${row.identity} ALTER COLUMN ${column.name} SET DEFAULT ${column.default}`,
          },
        ],
  );

const checkParts = (row: RelationRow): Part[] =>
  row.checks
    .filter(({ local }) => local)
    .map(({ oid, name, definition, valid }) => ({
      key: `pg_constraint:${oid}`,
      comment: `CONSTRAINT ${name} ON ${row.identity}`,
      statement: `ALTER TABLE ${row.identity} ADD CONSTRAINT ${name} ${definition}`,
      ...(valid ? {} : { section: 'post' }),
    }));

/** Returns statements for properties that CREATE TABLE can't set. */
function alterations(row: RelationRow): string[] {
  const table = `ALTER ${row.kind === 'f' ? 'FOREIGN ' : ''}TABLE ONLY ${row.identity}`;
  const changes = row.columns.flatMap((column) => {
    const isInherited = !column.local;
    return [
      isInherited && column.default !== null && column.generated === ''
        ? `SET DEFAULT ${column.default}`
        : undefined,
      isInherited && column.notNull ? 'SET NOT NULL' : undefined,
      column.storage === null ? undefined : `SET STORAGE ${column.storage}`,
      column.compression === null ? undefined : `SET COMPRESSION ${column.compression}`,
      column.statistics === null ? undefined : `SET STATISTICS ${column.statistics}`,
      column.options.length === 0 ? undefined : `SET (${options(column.options)})`,
    ]
      .filter((change) => change !== undefined)
      .map((change) => `${table} ALTER COLUMN ${column.name} ${change}`);
  });
  const replica = row.kind === 'f' ? undefined : { n: 'NOTHING', f: 'FULL' }[row.replicaIdentity];
  return [...changes, ...(replica === undefined ? [] : [`${table} REPLICA IDENTITY ${replica}`])];
}

function attachObject({ oid, schema, name, identity, partition }: RelationRow): CatalogObject[] {
  if (partition === null) return [];
  return [
    {
      key: `partition:${oid}`,
      kind: 'PARTITION',
      schema,
      name,
      identity,
      section: 'pre',
      needs: [`pg_class:${oid}`, `pg_class:${partition.parentOid}`],
      create: () => [`ALTER TABLE ONLY ${partition.parent} ATTACH PARTITION ${identity} ${partition.bound}`],
    },
  ];
}

function rowSecurityObject(row: RelationRow): CatalogObject[] {
  const { oid, schema, name, identity, rowSecurity, forceRowSecurity } = row;
  if (!rowSecurity && !forceRowSecurity) return [];
  const force = forceRowSecurity ? [`ALTER TABLE ONLY ${identity} FORCE ROW LEVEL SECURITY`] : [];
  const enable = rowSecurity ? [`ALTER TABLE ${identity} ENABLE ROW LEVEL SECURITY`] : [];
  return [
    {
      key: `row-security:${oid}`,
      kind: 'ROW SECURITY',
      schema,
      name,
      identity,
      section: 'post',
      needs: [`pg_class:${oid}`],
      create: () => [...enable, ...force],
    },
  ];
}

function viewObject(row: RelationRow, query: string): CatalogObject {
  const isMaterialized = row.kind === 'm';
  const withOptions = row.options.length === 0 ? '' : ` WITH (${options(row.options)})`;
  const method = row.accessMethod === null ? '' : ` USING ${row.accessMethod}`;
  const columns = row.columns.map(({ name, type, collation }) => {
    const collate = collation === null ? '' : ` COLLATE ${collation}`;
    return `NULL::${type}${collate} AS ${name}`;
  });
  const keyword = row.kind === 'm' ? 'MATERIALIZED VIEW' : 'VIEW';
  return {
    key: `pg_class:${row.oid}`,
    aliases: [`pg_type:${row.rowType}`, ...(row.rule === null ? [] : [`pg_rewrite:${row.rule}`])],
    kind: keyword,
    schema: row.schema,
    name: row.name,
    identity: row.identity,
    section: 'pre',
    owner: row.owner,
    acl: aclOf(row),
    parts: defaultParts(row).map((part) => ({ ...part, statement: viewDefault(part.statement) })),
    create: (separate) => [
      `CREATE ${isMaterialized ? '' : 'OR REPLACE '}${keyword} ${row.identity}${method}${withOptions} AS\n${query}${isMaterialized ? '\nWITH NO DATA' : ''}`,
      ...defaultParts(row)
        .filter(({ key }) => !separate.has(key))
        .map(({ statement }) => viewDefault(statement)),
      ...row.columns.flatMap(({ name, statistics }) =>
        statistics === null
          ? []
          : [`ALTER MATERIALIZED VIEW ${row.identity} ALTER COLUMN ${name} SET STATISTICS ${statistics}`],
      ),
    ],
    placeholder: isMaterialized
      ? undefined
      : `CREATE VIEW ${row.identity} AS\nSELECT\n    ${columns.join(',\n    ')}`,
  };
}

const viewDefault = (statement: string): string => statement.replace(/^ALTER TABLE ONLY /, 'ALTER VIEW ');

export function sequenceObjects(row: SequenceRow): CatalogObject[] {
  const { oid, schema, name, identity, ownedBy } = row;
  const common = { schema, name, identity } as const;
  const acl = { target: 'SEQUENCE', items: row.acl } as const;
  if (row.isIdentity) {
    // PostgreSQL creates the sequence of an identity column together with the column.
    const needs = ownedBy === null ? [] : [`pg_class:${ownedBy.tableOid}`];
    return [
      {
        ...common,
        key: `pg_class:${oid}`,
        kind: 'SEQUENCE',
        section: 'pre',
        acl,
        owner: undefined,
        needs,
        create: () => [],
      },
    ];
  }
  const type = row.type === 'bigint' ? '' : ` AS ${row.type}`;
  const sequence: CatalogObject = {
    ...common,
    key: `pg_class:${oid}`,
    kind: 'SEQUENCE',
    section: 'pre',
    owner: row.owner,
    acl,
    // The sequence must be created before its table, because a column's default depends on the sequence. OWNED BY is
    // therefore set after the table is created.
    ignores: ownedBy === null ? [] : [`pg_class:${ownedBy.tableOid}`],
    create: () => [`CREATE ${row.unlogged ? 'UNLOGGED ' : ''}SEQUENCE ${identity}${type} ${row.options}`],
  };
  if (ownedBy === null) return [sequence];
  return [
    sequence,
    {
      ...common,
      key: `owned-sequence:${oid}`,
      kind: 'OWNED SEQUENCE',
      section: 'pre',
      needs: [`pg_class:${oid}`, `pg_class:${ownedBy.tableOid}`],
      create: () => [`ALTER SEQUENCE ${identity} OWNED BY ${ownedBy.table}.${ownedBy.column}`],
    },
  ];
}
