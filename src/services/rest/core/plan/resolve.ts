/** Resolves names in a request to fields with types and data representations. */
import type { Column, QualifiedName, SchemaCache } from '../../schema-cache/types.ts';
import { keyOf, representationKey } from '../../schema-cache/types.ts';
import type { Field, Filter, LogicTree, OrderTerm } from '../parse/types.ts';
import { emptyField, type PlanCondition, type PlanField, type PlanOrder } from './types.ts';

export interface Resolver {
  readonly cache: SchemaCache;
  /** The relation to which the names belong. */
  readonly relation: QualifiedName;
}

export const columnField = (column: Column): PlanField => ({
  name: column.name,
  jsonPath: [],
  toJson: false,
  textSearch: undefined,
  type: column.nominalType,
  transform: undefined,
  default: column.default,
  fullRow: false,
});

const findColumn = (resolver: Resolver, name: string): Column | undefined =>
  resolver.cache.relations.get(keyOf(resolver.relation.schema, resolver.relation.name))?.columns.get(name);

/**
 * Resolves a field. Paths into json and jsonb columns are compiled without a conversion so that PostgreSQL can use
 * indexes. Columns of other types are converted with to_jsonb.
 */
export function resolveField(resolver: Resolver, field: Field): PlanField {
  const column = findColumn(resolver, field.name);
  if (column === undefined) return emptyField(field);
  const resolved = columnField(column);
  const isJson = resolved.type === 'json' || resolved.type === 'jsonb';
  return { ...resolved, jsonPath: field.jsonPath, toJson: !isJson };
}

function withRepresentation(resolver: Resolver, field: PlanField, from: string, to: string): PlanField {
  const transform = resolver.cache.representations.get(representationKey(from, to));
  return transform === undefined ? field : { ...field, type: from, transform };
}

export const resolveOutput = (resolver: Resolver, field: Field): PlanField => {
  const resolved = resolveField(resolver, field);
  return withRepresentation(resolver, resolved, resolved.type, 'json');
};

export const columnOutput = (resolver: Resolver, column: Column): PlanField =>
  withRepresentation(resolver, columnField(column), column.nominalType, 'json');

export const columnInput = (resolver: Resolver, column: Column): PlanField =>
  withRepresentation(resolver, columnField(column), 'json', column.nominalType);

export function resolveFilter(resolver: Resolver, filter: Filter): PlanCondition {
  const { operation } = filter.expression;
  const resolved = resolveField(resolver, filter.field);
  const column = findColumn(resolver, filter.field.name);
  const textSearch =
    operation.kind === 'fts' && column !== undefined && column.type !== 'tsvector'
      ? { language: operation.language }
      : undefined;
  const field = withRepresentation(resolver, { ...resolved, textSearch }, 'text', resolved.type);
  return { kind: 'filter', field, expression: filter.expression };
}

export function resolveLogic(resolver: Resolver, tree: LogicTree): PlanCondition {
  if (tree.kind === 'filter') return resolveFilter(resolver, tree.filter);
  return { ...tree, children: tree.children.map((child) => resolveLogic(resolver, child)) };
}

export function resolveOrder(resolver: Resolver, term: OrderTerm): PlanOrder {
  const field = term.relation === undefined ? resolveField(resolver, term.field) : emptyField(term.field);
  return { relation: term.relation, field, direction: term.direction, nulls: term.nulls };
}
