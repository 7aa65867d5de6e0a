/** Renders CREATE TYPE and CREATE DOMAIN. */
import type { TypeRow } from '../catalog/types.ts';
import { lines, list, literal } from '../core/text.ts';
import type { CatalogObject, Part } from '../types.ts';

export function typeObject(row: TypeRow): CatalogObject {
  const { identity } = row;
  const isDomain = row.domain !== null;
  const kind = isDomain ? 'DOMAIN' : 'TYPE';
  return {
    key: `pg_type:${row.oid}`,
    aliases: [
      ...row.siblings.map((oid) => `pg_type:${oid}`),
      ...(row.relation === 0 ? [] : [`pg_class:${row.relation}`]),
    ],
    kind,
    schema: row.schema,
    name: row.name,
    identity,
    section: 'pre',
    owner: row.owner,
    acl: { target: kind, items: row.acl },
    parts: domainChecks(row),
    create: (separate) => [definition(row, separate)],
  };
}

function definition(row: TypeRow, separate: ReadonlySet<string>): string {
  const { identity, attributes, range, labels } = row;
  if (row.domain !== null) return domainDefinition(row, separate);
  if (range !== null) {
    const options = [
      ['subtype', range.subtype],
      ['multirange_type_name', range.multirange],
      ['subtype_opclass', range.opclass],
      ['collation', range.collation],
      ['canonical', range.canonical],
      ['subtype_diff', range.difference],
    ].filter(([, value]) => value !== null);
    return `CREATE TYPE ${identity} AS RANGE (${list(options.map(([name, value]) => `${name} = ${value}`))})`;
  }
  if (row.type === 'enum') return `CREATE TYPE ${identity} AS ENUM ${lines((labels ?? []).map(literal))}`;
  const columns = (attributes ?? []).map(
    ({ name, type, collation }) => `${name} ${type}${collation === null ? '' : ` COLLATE ${collation}`}`,
  );
  return `CREATE TYPE ${identity} AS ${lines(columns)}`;
}

function domainDefinition({ identity, domain }: TypeRow, separate: ReadonlySet<string>): string {
  if (domain === null) return '';
  return [
    `CREATE DOMAIN ${identity} AS ${domain.base}`,
    ...(domain.collation === null ? [] : [`COLLATE ${domain.collation}`]),
    ...(domain.notNull ? ['NOT NULL'] : []),
    ...(domain.default === null ? [] : [`DEFAULT ${domain.default}`]),
    ...(domain.checks ?? [])
      .filter(({ oid }) => !separate.has(`pg_constraint:${oid}`))
      .map(({ name, definition }) => `\n    CONSTRAINT ${name} ${definition}`),
  ].join(' ');
}

const domainChecks = ({ identity, domain }: TypeRow): Part[] =>
  (domain?.checks ?? []).map(({ oid, name, definition, valid }) => ({
    key: `pg_constraint:${oid}`,
    comment: `CONSTRAINT ${name} ON DOMAIN ${identity}`,
    statement: `ALTER DOMAIN ${identity} ADD CONSTRAINT ${name} ${definition}`,
    ...(valid ? {} : { section: 'post' }),
  }));
