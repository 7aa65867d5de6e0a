/**
 * Defines the GraphQL schema's type model. A type knows its role and the database object behind it, so that the
 * compiler can dispatch on `type.role.is` and `field.source?.is` without looking at names.
 *
 * Fields, input fields and enum values are computed on first access, because most requests touch a few types of a
 * large schema.
 */

import type { Catalog, Column, ForeignKey, SqlEnum, SqlFunction, Table } from '../catalog.ts';

export type ScalarName =
  | 'ID'
  | 'Int'
  | 'Float'
  | 'String'
  | 'Boolean'
  | 'Date'
  | 'Time'
  | 'Datetime'
  | 'BigInt'
  | 'UUID'
  | 'JSON'
  | 'Cursor'
  | 'BigFloat'
  | 'Opaque';

export interface ScalarType {
  readonly kind: 'SCALAR';
  readonly name: ScalarName;
  readonly description: string;
  /** The maximum length of a String in characters, which input is checked against. Introspection doesn't show it. */
  readonly maxLength: number | null;
}

export interface EnumType {
  readonly kind: 'ENUM';
  readonly name: string;
  readonly description: string | null;
  readonly values: readonly EnumValue[];
  readonly role: EnumRole;
}

export type EnumRole =
  /** An enum type of the database. */
  | { readonly is: 'sql'; readonly enum: SqlEnum }
  /** NULL, NOT_NULL. */
  | { readonly is: 'filterIs' }
  /** OrderByDirection. */
  | { readonly is: 'orderBy' }
  | { readonly is: 'meta' };

export interface EnumValue {
  readonly name: string;
  readonly description: string | null;
  /** The label in the database. Equal to the name if no mapping changes it. */
  readonly label: string;
}

export interface ObjectType {
  readonly kind: 'OBJECT';
  readonly name: string;
  readonly description: string | null;
  /** In the order of introspection. A name can occur twice; `fieldOf` then returns the last. */
  readonly fields: readonly Field[];
  readonly interfaces: readonly InterfaceType[];
  readonly role: ObjectRole;
}

export type AggregateOperation = 'sum' | 'avg' | 'min' | 'max';

export type ObjectRole =
  | { readonly is: 'query' }
  | { readonly is: 'mutation' }
  | { readonly is: 'node'; readonly table: Table }
  | { readonly is: 'edge'; readonly table: Table }
  | { readonly is: 'connection'; readonly table: Table }
  | { readonly is: 'pageInfo' }
  | { readonly is: 'insertResponse'; readonly table: Table }
  | { readonly is: 'updateResponse'; readonly table: Table }
  | { readonly is: 'deleteResponse'; readonly table: Table }
  | { readonly is: 'aggregate'; readonly table: Table }
  | { readonly is: 'aggregateResult'; readonly table: Table; readonly operation: AggregateOperation }
  /** A type of introspection, such as `__Type`. */
  | { readonly is: 'meta' };

export interface InterfaceType {
  readonly kind: 'INTERFACE';
  readonly name: 'Node';
  readonly description: null;
  readonly fields: readonly Field[];
}

export interface InputObjectType {
  readonly kind: 'INPUT_OBJECT';
  readonly name: string;
  readonly description: string | null;
  /** In the order of introspection. */
  readonly inputFields: readonly InputValue[];
  readonly role: InputRole;
}

export type InputRole =
  | { readonly is: 'insertInput'; readonly table: Table }
  | { readonly is: 'updateInput'; readonly table: Table }
  /** The filter of a table, with `and`, `or` and `not`. */
  | { readonly is: 'filter'; readonly table: Table }
  /** The filter of one value, whose input fields are operators. */
  | { readonly is: 'valueFilter'; readonly value: ScalarType | EnumType | ListType }
  | { readonly is: 'orderBy'; readonly table: Table };

export type NamedType = ScalarType | EnumType | ObjectType | InterfaceType | InputObjectType;

export interface ListType {
  readonly kind: 'LIST';
  readonly of: Type;
}

export interface NonNullType {
  readonly kind: 'NON_NULL';
  readonly of: Type;
}

export type Type = NamedType | ListType | NonNullType;

export interface Field {
  readonly name: string;
  readonly description: string | null;
  readonly type: Type;
  readonly args: readonly InputValue[];
  /** Where the value comes from. Absent for fields that the role of their parent type explains. */
  readonly source?: FieldSource;
}

export type FieldSource =
  | { readonly is: 'column'; readonly column: Column }
  /** The columns of the primary key, in its order. */
  | { readonly is: 'nodeId'; readonly columns: readonly Column[] }
  /** A computed field: a function of the row. */
  | { readonly is: 'computed'; readonly function: SqlFunction }
  /** An entry point that calls a function. Arguments carry their source. */
  | { readonly is: 'call'; readonly function: SqlFunction }
  /**
   * A relationship. `reverse`: the field is on the referenced table and leads to rows of the local table: a connection,
   * or a node if `isLocallyUnique`.
   */
  | { readonly is: 'relation'; readonly key: ForeignKey; readonly reverse: boolean }
  /** Query: the collection of a table. */
  | { readonly is: 'collection'; readonly table: Table }
  /** Query: one row by its primary key. The arguments' sources are the key's columns. */
  | { readonly is: 'byPk'; readonly table: Table }
  /** Query: one row by its nodeId. */
  | { readonly is: 'nodeById' }
  | { readonly is: 'insert' | 'update' | 'delete'; readonly table: Table }
  | { readonly is: '__typename' }
  | { readonly is: '__type' }
  | { readonly is: '__schema' };

export interface InputValue {
  readonly name: string;
  readonly description: string | null;
  readonly type: Type;
  /** A GraphQL literal, or null. */
  readonly defaultValue: string | null;
  readonly source?: InputSource;
}

export type InputSource =
  | { readonly is: 'column'; readonly column: Column }
  | { readonly is: 'nodeId'; readonly columns: readonly Column[] }
  /** An argument of a function. `typeName` is SQL text. */
  | { readonly is: 'argument'; readonly name: string; readonly typeName: string };

export type DirectiveLocation = 'FIELD' | 'FRAGMENT_SPREAD' | 'INLINE_FRAGMENT';

export interface Directive {
  readonly name: string;
  readonly description: string;
  readonly locations: readonly DirectiveLocation[];
  readonly args: readonly InputValue[];
}

/** The GraphQL schema of one catalog. Immutable, so it can be cached as long as the catalog is. */
export interface Schema {
  readonly catalog: Catalog;
  readonly query: ObjectType;
  /** Absent if the role can't change anything. */
  readonly mutation: ObjectType | undefined;
  /** All named types by name, in the order of their names. */
  readonly types: ReadonlyMap<string, NamedType>;
  readonly directives: readonly Directive[];
  /** Whether any visible schema allows introspection. Without it Query has no `__schema` and `__type`. */
  readonly introspection: boolean;
  /** The node type of a table. Undefined if the table has none: no primary key, no readable column, or no valid name. */
  readonly nodeOf: (table: Table) => ObjectType | undefined;
  /** The types that implement the Node interface, by name. */
  readonly nodeTypes: readonly ObjectType[];
}
