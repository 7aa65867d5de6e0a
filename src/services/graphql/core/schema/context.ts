/** Defines what the parts of the schema know of each other while and after it's built. */

import type { Catalog, ForeignKey, SqlEnum, Table } from '../catalog.ts';
import type {
  AggregateOperation,
  EnumType,
  InputObjectType,
  InputValue,
  InterfaceType,
  ListType,
  ObjectType,
  ScalarType,
} from './types.ts';

/** All types of one table, whether or not the role may use them. */
export interface TableTypes {
  readonly node: ObjectType;
  readonly edge: ObjectType;
  readonly connection: ObjectType;
  /** The arguments of the table's collections. */
  readonly connectionArguments: readonly InputValue[];
  readonly filter: InputObjectType;
  readonly orderBy: InputObjectType;
  readonly insertInput: InputObjectType;
  readonly insertResponse: ObjectType;
  readonly updateInput: InputObjectType;
  readonly updateResponse: ObjectType;
  readonly deleteResponse: ObjectType;
  readonly aggregate: ObjectType;
  readonly aggregateResult: (operation: AggregateOperation) => ObjectType;
}

export interface SchemaContext {
  readonly catalog: Catalog;
  readonly typesOf: (table: Table) => TableTypes;
  readonly enumOf: (type: SqlEnum) => EnumType;
  readonly valueFilter: (value: ScalarType | EnumType | ListType) => InputObjectType;
  readonly nodeInterface: InterfaceType;
  /** The foreign keys on the table, and those that reference it. */
  readonly keysOf: (table: Table) => {
    readonly local: readonly ForeignKey[];
    readonly referencing: readonly ForeignKey[];
  };
}
