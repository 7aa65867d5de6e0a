/** Builds the types of one table, each on first access. */

import type { Table } from '../catalog.ts';
import {
  aggregateResultType,
  aggregateType,
  connectionArguments,
  connectionType,
  edgeType,
} from './connection.ts';
import type { SchemaContext, TableTypes } from './context.ts';
import { memoize } from './define.ts';
import { tableFilter, tableOrderBy } from './filters.ts';
import { insertInput, mutationResponse, updateInput } from './mutation.ts';
import { tableTypeName } from './names.ts';
import { nodeType } from './node.ts';
import type { AggregateOperation, InputObjectType, InputValue, ObjectType } from './types.ts';

/** A class rather than a literal with getters, because a large schema has hundreds. */
export class LazyTableTypes implements TableTypes {
  readonly #context: SchemaContext;
  readonly #table: Table;
  readonly #name: string;
  #node: ObjectType | undefined;
  #edge: ObjectType | undefined;
  #connection: ObjectType | undefined;
  #connectionArguments: readonly InputValue[] | undefined;
  #filter: InputObjectType | undefined;
  #orderBy: InputObjectType | undefined;
  #insertInput: InputObjectType | undefined;
  #insertResponse: ObjectType | undefined;
  #updateInput: InputObjectType | undefined;
  #updateResponse: ObjectType | undefined;
  #deleteResponse: ObjectType | undefined;
  #aggregate: ObjectType | undefined;
  #aggregateResult: ((operation: AggregateOperation) => ObjectType) | undefined;

  constructor(context: SchemaContext, table: Table) {
    this.#context = context;
    this.#table = table;
    this.#name = tableTypeName(context.catalog, table);
  }

  get node(): ObjectType {
    this.#node ??= nodeType(this.#context, this.#table, this.#name);
    return this.#node;
  }

  get edge(): ObjectType {
    this.#edge ??= edgeType(this.#context, this.#table, this.#name);
    return this.#edge;
  }

  get connection(): ObjectType {
    this.#connection ??= connectionType(this.#context, this.#table, this.#name);
    return this.#connection;
  }

  get connectionArguments(): readonly InputValue[] {
    this.#connectionArguments ??= connectionArguments(this.filter, this.orderBy);
    return this.#connectionArguments;
  }

  get filter(): InputObjectType {
    this.#filter ??= tableFilter(this.#context, this.#table, this.#name);
    return this.#filter;
  }

  get orderBy(): InputObjectType {
    this.#orderBy ??= tableOrderBy(this.#context, this.#table, this.#name);
    return this.#orderBy;
  }

  get insertInput(): InputObjectType {
    this.#insertInput ??= insertInput(this.#context, this.#table, this.#name);
    return this.#insertInput;
  }

  get insertResponse(): ObjectType {
    this.#insertResponse ??= this.#response('insertResponse', 'InsertResponse');
    return this.#insertResponse;
  }

  get updateInput(): InputObjectType {
    this.#updateInput ??= updateInput(this.#context, this.#table, this.#name);
    return this.#updateInput;
  }

  get updateResponse(): ObjectType {
    this.#updateResponse ??= this.#response('updateResponse', 'UpdateResponse');
    return this.#updateResponse;
  }

  get deleteResponse(): ObjectType {
    this.#deleteResponse ??= this.#response('deleteResponse', 'DeleteResponse');
    return this.#deleteResponse;
  }

  get aggregate(): ObjectType {
    this.#aggregate ??= aggregateType(this.#context, this.#table, this.#name);
    return this.#aggregate;
  }

  aggregateResult(operation: AggregateOperation): ObjectType {
    this.#aggregateResult ??= memoize((of: AggregateOperation) =>
      aggregateResultType(this.#context, { table: this.#table, name: this.#name, operation: of }),
    );
    return this.#aggregateResult(operation);
  }

  #response(is: 'insertResponse' | 'updateResponse' | 'deleteResponse', suffix: string): ObjectType {
    return mutationResponse(this.#context, this.#name + suffix, { is, table: this.#table });
  }
}
