import type { AggregateRow, FunctionRow } from '../catalog/functions.ts';
import { lines } from '../core/text.ts';
import type { CatalogObject } from '../types.ts';

export function functionObject(row: FunctionRow): CatalogObject {
  const { oid, kind, schema, identity, owner, acl } = row;
  const text = row.aggregate === null ? (row.definition ?? '').trimEnd() : aggregate(row, row.aggregate);
  return {
    key: `pg_proc:${oid}`,
    kind,
    schema,
    name: identity,
    identity,
    section: 'pre',
    owner,
    acl: { target: kind === 'PROCEDURE' ? 'PROCEDURE' : 'FUNCTION', items: acl },
    create: () => [text],
  };
}

function aggregate({ identity }: FunctionRow, { arguments: args, options }: AggregateRow): string {
  const name = identity.slice(0, identity.indexOf('('));
  const rendered = Object.entries(options).flatMap(([option, value]) =>
    value === null ? [] : [value === '' ? option : `${option} = ${value}`],
  );
  return `CREATE AGGREGATE ${name}(${args}) ${lines(rendered)}`;
}
