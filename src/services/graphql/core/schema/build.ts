/** Builds the GraphQL schema of a catalog. Its parts are built on first access. */

import type { Catalog, ForeignKey, SqlEnum, Table } from '../catalog.ts';
import { aggregateOperations, PAGE_INFO } from './connection.ts';
import type { SchemaContext } from './context.ts';
import { memoize } from './define.ts';
import { LIST_FILTER_SCALARS, valueFilter } from './filters.ts';
import { list } from './lookup.ts';
import { DIRECTIVES, META_TYPES } from './meta.ts';
import { mutationsExist, mutationType } from './mutation.ts';
import { byName, enumTypeName } from './names.ts';
import { NODE_INTERFACE } from './node.ts';
import { canDelete, canInsert, canRead, canUpdate } from './privileges.ts';
import { allowsIntrospection, queryType } from './query.ts';
import { FILTER_IS, ORDER_BY_DIRECTION, SCALARS } from './scalars.ts';
import { LazyTableTypes } from './table-types.ts';
import type {
  EnumType,
  InputObjectType,
  ListType,
  NamedType,
  ObjectType,
  ScalarType,
  Schema,
} from './types.ts';

/**
 * Returns the schema.
 *
 * @example fieldOf(buildSchema(catalog).query, 'accountCollection')
 */
export const buildSchema = (catalog: Catalog): Schema => {
  const context = schemaContext(catalog);
  const query = queryType(context);
  const mutation = mutationsExist(context) ? mutationType(context) : undefined;
  let types: ReadonlyMap<string, NamedType> | undefined;
  let nodeTypes: readonly ObjectType[] | undefined;
  return {
    catalog,
    query,
    mutation,
    get types() {
      types ??= typesByName(context, mutation ? [query, mutation] : [query]);
      return types;
    },
    directives: DIRECTIVES,
    introspection: allowsIntrospection(context),
    nodeOf: (table) => (canRead(catalog, table) ? context.typesOf(table).node : undefined),
    get nodeTypes() {
      nodeTypes ??= [...this.types.values()].filter(
        (type): type is ObjectType => type.kind === 'OBJECT' && type.role.is === 'node',
      );
      return nodeTypes;
    },
  };
};

const schemaContext = (catalog: Catalog): SchemaContext => {
  const keys = keysByTable(catalog);
  const context: SchemaContext = {
    catalog,
    typesOf: memoize((table: Table) => new LazyTableTypes(context, table)),
    enumOf: memoize((definition: SqlEnum) => enumType(catalog, definition)),
    valueFilter: sharedFilters(),
    nodeInterface: NODE_INTERFACE,
    keysOf: (table) => keys.get(table.oid) ?? { local: [], referencing: [] },
  };
  return context;
};

const keysByTable = (catalog: Catalog) => {
  const keys = new Map<number, { local: ForeignKey[]; referencing: ForeignKey[] }>();
  const of = (oid: number) => {
    let entry = keys.get(oid);
    if (!entry) {
      entry = { local: [], referencing: [] };
      keys.set(oid, entry);
    }
    return entry;
  };
  for (const key of catalog.foreignKeys) {
    of(key.local.tableOid).local.push(key);
    of(key.referenced.tableOid).referencing.push(key);
  }
  return keys;
};

/** Shares the filters of equal values. Strings of different maximum length have filters of the same name. */
const sharedFilters = (): SchemaContext['valueFilter'] => {
  const known = new Map<string, InputObjectType>();
  const scalarKey = (value: ScalarType) => `${value.name}:${value.maxLength}`;
  const listKey = ({ of }: ListType) => `list:${of.kind === 'SCALAR' ? scalarKey(of) : ''}`;
  const enumFilter = memoize((value: EnumType) => valueFilter(value));
  return (value) => {
    if (value.kind === 'ENUM') return enumFilter(value);
    const key = value.kind === 'LIST' ? listKey(value) : scalarKey(value);
    let filter = known.get(key);
    if (!filter) {
      filter = valueFilter(value);
      known.set(key, filter);
    }
    return filter;
  };
};

const enumType = (catalog: Catalog, definition: SqlEnum): EnumType => ({
  kind: 'ENUM',
  name: enumTypeName(catalog, definition),
  description: null,
  values: definition.values.map((label) => ({
    name: definition.directives.mappings.get(label) ?? label,
    description: null,
    label,
  })),
  role: { is: 'sql', enum: definition },
});

/** All types in the order of their names. Of types with equal names the first counts. */
const typesByName = (
  context: SchemaContext,
  roots: readonly ObjectType[],
): ReadonlyMap<string, NamedType> => {
  const types = new Map<string, NamedType>();
  for (const type of allTypes(context, roots).sort(byName)) {
    if (!types.has(type.name)) types.set(type.name, type);
  }
  return types;
};

const allTypes = (context: SchemaContext, roots: readonly ObjectType[]): NamedType[] => {
  const { catalog } = context;
  const filtered = SCALARS.filter(({ name }) => name !== 'JSON' && name !== 'Cursor');
  return [
    ...META_TYPES,
    PAGE_INFO,
    ...SCALARS,
    FILTER_IS,
    ORDER_BY_DIRECTION,
    ...filtered.map((scalar) => context.valueFilter(scalar)),
    ...SCALARS.filter(({ name }) => LIST_FILTER_SCALARS.includes(name)).map((scalar) =>
      context.valueFilter(list(scalar)),
    ),
    ...roots,
    NODE_INTERFACE,
    ...[...catalog.tables.values()].flatMap((table) => usableTypes(context, table)),
    ...[...catalog.enums.values()]
      .filter((definition) => definition.usable)
      .flatMap((definition) => {
        const type = context.enumOf(definition);
        return [type, context.valueFilter(type)];
      }),
  ];
};

const usableTypes = (context: SchemaContext, table: Table): readonly NamedType[] => {
  const { catalog } = context;
  if (!canRead(catalog, table)) return [];
  const types = context.typesOf(table);
  return [
    types.node,
    types.edge,
    types.connection,
    types.filter,
    types.orderBy,
    ...(canInsert(catalog, table) ? [types.insertInput, types.insertResponse] : []),
    ...(canUpdate(catalog, table) ? [types.updateInput, types.updateResponse] : []),
    ...(canDelete(catalog, table) ? [types.deleteResponse] : []),
    ...(table.directives.aggregate
      ? [
          types.aggregate,
          ...aggregateOperations(context, table).map((operation) => types.aggregateResult(operation)),
        ]
      : []),
  ];
};
