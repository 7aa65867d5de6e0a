/** Compiles connections. */

import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import { fieldOf, namedType } from '../schema/lookup.ts';
import type { Field, ObjectType } from '../schema/types.ts';
import { aggregateOf } from './aggregate.ts';
import { readConnectionArguments } from './connection-arguments.ts';
import { type CompileContext, type Row, rowOf, type Use, untypedRowOf } from './context.ts';
import { cursorOf } from './cursor.ts';
import { jsonObject, literal, type Pair, qualified, type Sql, sql, where } from './fragments.ts';
import { type Connection, Page } from './page.ts';
import { pageInfoOf } from './page-info.ts';

/** Where the rows of a connection come from. */
export type Source =
  | {
      readonly is: 'table';
      /** The condition that leads from the parent row to its rows. */
      readonly join?: (row: Row) => Sql;
    }
  | { readonly is: 'call'; readonly call: Sql };

/** Compiles a field whose type is a connection to an expression for its JSON. */
export function connectionOf(use: Use, source: Source, context: CompileContext): Sql {
  const { field, selected } = use;
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT' || type.role.is !== 'connection') {
    throw new Error(`${field.name} isn't a connection`);
  }
  const { table } = type.role;
  const args = readConnectionArguments(use, table, context);
  const join = source.is === 'table' ? source.join : undefined;
  const common = {
    table,
    arguments: args,
    restrict: (row: Row) => [
      ...(join === undefined ? [] : [join(row)]),
      ...args.filter.map((condition) => condition(row)),
    ],
    context,
  };
  if (source.is === 'table') {
    const from = qualified(table.schema, table.name);
    return sql`(${objectOf(type, selected, { ...common, from, row: (alias) => rowOf(table, alias) })})`;
  }
  // The function is called once, however many parts of the connection read its rows.
  const rows = context.aliases.next('f');
  const object = objectOf(type, selected, {
    ...common,
    from: rows,
    row: (alias) => untypedRowOf(table, alias),
  });
  return sql`(with ${rows} as (select * from ${source.call}) ${object})`;
}

function objectOf(type: ObjectType, selected: Selected, connection: Connection): Sql {
  const parts = selected.selections(type.name);
  const asked = new Set(
    parts
      .filter(({ name }) => name === 'pageInfo')
      .flatMap((part) => part.selections('PageInfo').map(({ name }) => name)),
  );
  const { backward } = connection.arguments;
  const page = new Page(connection, {
    more: asked.has(backward ? 'hasPreviousPage' : 'hasNextPage'),
    less: asked.has(backward ? 'hasNextPage' : 'hasPreviousPage'),
  });
  const nodes = asked.size === 0 && !backward ? onlyNodes(type, parts) : undefined;
  if (nodes !== undefined) {
    const fields = connection.context.nodeFields(nodes.use, page.row, connection.context);
    if (fields.every(isColumnName) && fields.length <= MAX_COLUMNS) {
      return recordsOf(nodes, fields, page, connection);
    }
  }
  const object = jsonObject(parts.map((part) => [part.key, partOf(type, part, page, connection)]));
  return sql`select ${object}${page.from()}`;
}

/** PostgreSQL shortens longer names. */
const isColumnName = ([key]: Pair): boolean => key.length < 64;
/** The maximum number of columns in a subquery is higher. */
const MAX_COLUMNS = 1000;

/** The keys of a connection of which only the nodes are selected. */
interface OnlyNodes {
  readonly edges: string;
  readonly node: string;
  readonly use: Use;
}

function onlyNodes(type: ObjectType, parts: readonly Selected[]): OnlyNodes | undefined {
  const [edges] = parts;
  if (edges?.name !== 'edges' || parts.length > 1) return undefined;
  const field = fieldOf(type, 'edges');
  const edgeType = field && namedType(field.type);
  if (edgeType?.kind !== 'OBJECT') return undefined;
  const [node, ...more] = edges.selections(edgeType.name);
  const nodeField = fieldOf(edgeType, 'node');
  if (node?.name !== 'node' || more.length > 0 || nodeField === undefined) return undefined;
  return { edges: edges.key, node: node.key, use: { field: nodeField, selected: node } };
}

/**
 * The connection's JSON with the rows as records, which PostgreSQL converts to JSON in less time than it needs to build
 * an object of each.
 */
function recordsOf(nodes: OnlyNodes, fields: readonly Pair[], page: Page, { context }: Connection): Sql {
  const record = context.aliases.next('r');
  const columns = fields.map(([key, value]) => sql`${value} as ${sql.id(key)}`);
  const edge = jsonObject([[nodes.node, record]]);
  const edges = sql`coalesce(${page.aggregate('json_agg', edge)}, '[]'::pg_catalog.json)`;
  return sql`select ${jsonObject([[nodes.edges, edges]])} from (select ${sql.join(columns)}${page.from()}) as ${record}`;
}

function partOf(type: ObjectType, part: Selected, page: Page, connection: Connection): Sql {
  const field = fieldOf(type, part.name);
  if (field === undefined) {
    throw new GraphqlError(
      part.name === 'aggregate'
        ? 'enable the aggregate directive to use aggregates'
        : 'unknown field in connection',
    );
  }
  switch (part.name) {
    case 'edges':
      return edgesOf(field, part, page, connection);
    case 'pageInfo':
      return pageInfoOf(field, part, page, connection);
    case 'totalCount':
      return overAllRows(connection, () => sql.raw('pg_catalog.count(*)'));
    case 'aggregate':
      return overAllRows(connection, (row) => aggregateOf(field, part, row));
    default:
      return literal(type.name);
  }
}

/** A subquery that aggregates the rows of all pages. */
function overAllRows(
  { from, row: rowOfAlias, restrict, context }: Connection,
  value: (row: Row) => Sql,
): Sql {
  const alias = context.aliases.next('b');
  const row = rowOfAlias(alias);
  return sql`(select ${value(row)} from ${from} as ${alias}${where(restrict(row))})`;
}

function edgesOf(field: Field, selected: Selected, page: Page, connection: Connection): Sql {
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} has no fields`);
  const edge = jsonObject(
    selected.selections(type.name).map((part) => {
      const edgeField = fieldOf(type, part.name);
      if (edgeField === undefined) throw new GraphqlError('unknown field in edge');
      return [part.key, edgePartOf(type, { field: edgeField, selected: part }, page, connection)];
    }),
  );
  return sql`coalesce(${page.aggregate('json_agg', edge)}, '[]'::pg_catalog.json)`;
}

function edgePartOf(
  type: ObjectType,
  use: Use,
  page: Page,
  { arguments: { order }, context }: Connection,
): Sql {
  const { name } = use.selected;
  if (name === 'cursor') return cursorOf(page.row, order);
  if (name === 'node') return jsonObject(context.nodeFields(use, page.row, context));
  return literal(type.name);
}
