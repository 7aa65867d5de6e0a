/** Builds the Mutation type, and the inputs and responses of its fields. */

import type { Column, Table } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { field, inputType, inputValue, objectType } from './define.ts';
import { functionFields } from './functions.ts';
import { list, nonNull, nullable } from './lookup.ts';
import { byName, columnFieldName, tableTypeName } from './names.ts';
import { canDelete, canInsert, canUpdate } from './privileges.ts';
import { INT } from './scalars.ts';
import { columnType } from './sql-types.ts';
import type { Field, InputObjectType, InputValue, ObjectRole, ObjectType } from './types.ts';

/** Whether the role can change any table or call any volatile function. */
export const mutationsExist = (context: SchemaContext): boolean => {
  for (const table of context.catalog.tables.values()) {
    const { catalog } = context;
    if (canInsert(catalog, table) || canUpdate(catalog, table) || canDelete(catalog, table)) return true;
  }
  return functionFields(context, ['volatile']).length > 0;
};

export const mutationType = (context: SchemaContext): ObjectType =>
  objectType(
    {
      name: 'Mutation',
      description: 'The root type for creating and mutating data',
      role: { is: 'mutation' },
    },
    () => {
      const fields = new Map<string, Field>();
      const add = (entry: Field) => {
        if (!fields.has(entry.name)) fields.set(entry.name, entry);
      };
      for (const table of context.catalog.tables.values()) {
        for (const entry of tableFields(context, table)) add(entry);
      }
      for (const entry of functionFields(context, ['volatile'])) add(entry);
      return [...fields.values()].sort(byName);
    },
  );

const tableFields = (context: SchemaContext, table: Table): readonly Field[] => {
  const { catalog } = context;
  const name = tableTypeName(catalog, table);
  const types = context.typesOf(table);
  const fields: Field[] = [];
  if (canInsert(catalog, table)) {
    fields.push(
      field(`insertInto${name}Collection`, types.insertResponse, {
        description: `Adds one or more \`${name}\` records to the collection`,
        args: [inputValue('objects', nonNull(list(nonNull(types.insertInput))))],
        source: { is: 'insert', table },
      }),
    );
  }
  if (canUpdate(catalog, table)) {
    fields.push(
      field(`update${name}Collection`, nonNull(types.updateResponse), {
        description: `Updates zero or more records in the \`${name}\` collection`,
        args: [
          inputValue('set', nonNull(types.updateInput), {
            description: 'Fields that are set will be updated for all records matching the `filter`',
          }),
          ...restriction(types.filter),
        ],
        source: { is: 'update', table },
      }),
    );
  }
  if (canDelete(catalog, table)) {
    fields.push(
      field(`deleteFrom${name}Collection`, nonNull(types.deleteResponse), {
        description: `Deletes zero or more records from the \`${name}\` collection`,
        args: restriction(types.filter),
        source: { is: 'delete', table },
      }),
    );
  }
  return fields;
};

const restriction = (filter: InputObjectType): readonly InputValue[] => [
  inputValue('filter', filter, {
    description: "Restricts the mutation's impact to records matching the criteria",
  }),
  inputValue('atMost', nonNull(INT), {
    description: 'The maximum number of records in the collection permitted to be affected',
    defaultValue: '1',
  }),
];

export const insertInput = (context: SchemaContext, table: Table, name: string): InputObjectType =>
  inputType({ name: `${name}InsertInput`, role: { is: 'insertInput', table } }, () =>
    writableColumns(context, table, (column) => column.privileges.insert),
  );

export const updateInput = (context: SchemaContext, table: Table, name: string): InputObjectType =>
  inputType({ name: `${name}UpdateInput`, role: { is: 'updateInput', table } }, () =>
    writableColumns(context, table, (column) => column.privileges.update),
  );

/** All columns are optional: a default or a trigger may provide the value. Sequences and expressions always do. */
const writableColumns = (
  context: SchemaContext,
  table: Table,
  isWritable: (column: Column) => boolean,
): readonly InputValue[] =>
  table.columns
    .filter((column) => isWritable(column) && !column.generated && !column.serial)
    .flatMap((column) => {
      const type = columnType(context, column);
      if (!type) return [];
      return inputValue(columnFieldName(context.catalog, column), nullable(type), {
        source: { is: 'column', column },
      });
    });

/** The response of a mutation: the number of rows, and the rows. */
export const mutationResponse = (
  context: SchemaContext,
  name: string,
  role: Extract<ObjectRole, { is: 'insertResponse' | 'updateResponse' | 'deleteResponse' }>,
): ObjectType =>
  objectType({ name, role }, () => [
    field('affectedCount', nonNull(INT), { description: 'Count of the records impacted by the mutation' }),
    field('records', nonNull(list(nonNull(context.typesOf(role.table).node))), {
      description: 'Array of records impacted by the mutation',
    }),
  ]);
