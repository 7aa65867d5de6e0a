import type {
  CastRow,
  ConversionRow,
  OperatorClassRow,
  OperatorFamilyRow,
  OptionsRow,
} from '../catalog/operators.ts';
import { lines, list } from '../core/text.ts';
import type { CatalogObject } from '../types.ts';

const present = (options: OptionsRow['options']): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === null ? [] : [value === '' ? name : `${name} = ${value}`],
  );

export const operatorObject = (row: OptionsRow): CatalogObject => ({
  key: `pg_operator:${row.oid}`,
  kind: 'OPERATOR',
  schema: row.schema,
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [
    `CREATE OPERATOR ${row.identity.slice(0, row.identity.indexOf(' ('))} ${lines(present(row.options))}`,
  ],
});

export function operatorFamilyObject(row: OperatorFamilyRow): CatalogObject {
  const identity = `${row.identity} USING ${row.method}`;
  return {
    key: `pg_opfamily:${row.oid}`,
    kind: 'OPERATOR FAMILY',
    schema: row.schema,
    name: identity,
    identity,
    section: 'pre',
    owner: row.owner,
    create: () => [
      `CREATE OPERATOR FAMILY ${identity}`,
      ...(row.members.length === 0
        ? []
        : [`ALTER OPERATOR FAMILY ${identity} ADD\n    ${row.members.join(',\n    ')}`]),
    ],
  };
}

export function operatorClassObject(row: OperatorClassRow): CatalogObject {
  const identity = `${row.identity} USING ${row.method}`;
  const members = [...(row.storage === null ? [] : [`STORAGE ${row.storage}`]), ...row.members];
  return {
    key: `pg_opclass:${row.oid}`,
    kind: 'OPERATOR CLASS',
    schema: row.schema,
    name: identity,
    identity,
    section: 'pre',
    owner: row.owner,
    create: () => [
      `CREATE OPERATOR CLASS ${row.identity}\n    ${row.isDefault ? 'DEFAULT ' : ''}FOR TYPE ${row.type} ` +
        `USING ${row.method} FAMILY ${row.family} AS\n    ${members.join(',\n    ')}`,
    ],
  };
}

export const castObject = (row: CastRow): CatalogObject => ({
  key: `pg_cast:${row.oid}`,
  kind: 'CAST',
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  create: () => [`CREATE CAST ${row.identity} ${row.with}${row.context}`],
});

export const conversionObject = (row: ConversionRow): CatalogObject => ({
  key: `pg_conversion:${row.oid}`,
  kind: 'CONVERSION',
  schema: row.schema,
  name: row.name,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [row.definition],
});

export const collationObject = (row: OptionsRow): CatalogObject => ({
  key: `pg_collation:${row.oid}`,
  kind: 'COLLATION',
  schema: row.schema,
  name: row.name,
  identity: row.identity,
  section: 'pre',
  owner: row.owner,
  create: () => [`CREATE COLLATION ${row.identity} (${list(present(row.options))})`],
});
