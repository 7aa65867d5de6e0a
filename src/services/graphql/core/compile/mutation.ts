/**
 * Compiles the fields of a mutation. Inserts, updates and deletes are statements that change rows in a common table
 * expression and build the JSON from the rows that it returns.
 */

import type { Column, Table } from '../catalog.ts';
import { EACH } from '../coerce/given.ts';
import { type Input, type InputList, readArgument } from '../coerce/input.ts';
import type { Slot } from '../coerce/slots.ts';
import { columnSlotOf, slotOf } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import { fieldOf, inputFieldOf, namedType } from '../schema/lookup.ts';
import type { InputObjectType } from '../schema/types.ts';
import type { Condition } from './conditions.ts';
import { inputTypeOf, rejectOtherArguments } from './connection-arguments.ts';
import { type CompileContext, type Row, readableColumns, rowOf, SubqueryRow, type Use } from './context.ts';
import { readFilter } from './filter.ts';
import { call, cast, jsonObject, literal, qualified, type Sql, sql, typeSql, where } from './fragments.ts';
import { fieldsOf } from './node.ts';

/** A statement with the field's JSON, and for limited changes the number of affected rows. */
export interface Change {
  readonly statement: Sql;
  readonly limit: { readonly rows: Slot; readonly message: string } | null;
}

export function insert(use: Use, table: Table, context: CompileContext): Change {
  const { field, selected } = use;
  rejectOtherArguments(selected, ['objects']);
  const input = readArgument(field, 'objects', selected.arguments, context);
  const rows = rowsOf(input, inputTypeOf(field, 'objects'), table);
  return change(use, table, context, (alias) => {
    const target = sql`insert into ${qualified(table.schema, table.name)} as ${alias}`;
    return sql`${target} (${sql.join(rows.columns.map(({ name }) => sql.id(name)))}) ${rows.source}`;
  });
}

export function update(use: Use, table: Table, context: CompileContext): Change {
  const { field, selected } = use;
  rejectOtherArguments(selected, ['set', 'filter', 'atMost']);
  const set = setOf(readArgument(field, 'set', selected.arguments, context), inputTypeOf(field, 'set'));
  const filter = filterOf(use, table, context);
  const limit = { rows: atMostOf(use, context), message: 'update impacts too many records' };
  const assignments = set.map(
    ([column, slot]) => sql`${sql.id(column.name)} = ${cast(slot, column.typeName)}`,
  );
  return {
    ...change(use, table, context, (alias, row) => {
      const target = sql`update ${qualified(table.schema, table.name)} as ${alias}`;
      return sql`${target} set ${sql.join(assignments)}${conditionsOf(filter, row)}`;
    }),
    limit,
  };
}

export function remove(use: Use, table: Table, context: CompileContext): Change {
  const { selected } = use;
  rejectOtherArguments(selected, ['filter', 'atMost']);
  const filter = filterOf(use, table, context);
  const limit = { rows: atMostOf(use, context), message: 'delete impacts too many records' };
  return {
    ...change(use, table, context, (alias, row) => {
      const target = sql`delete from ${qualified(table.schema, table.name)} as ${alias}`;
      return sql`${target}${conditionsOf(filter, row)}`;
    }),
    limit,
  };
}

const conditionsOf = (filter: readonly Condition[], row: Row): Sql =>
  where(filter.map((condition) => condition(row)));

function filterOf({ field, selected }: Use, table: Table, context: CompileContext): readonly Condition[] {
  const input = readArgument(field, 'filter', selected.arguments, context);
  return readFilter(input, { type: inputTypeOf(field, 'filter'), table, context });
}

/** An invalid value counts as the default, as upstream's does. */
function atMostOf({ field, selected }: Use, context: CompileContext): Slot {
  try {
    return slotOf(readArgument(field, 'atMost', selected.arguments, context));
  } catch (error) {
    if (error instanceof GraphqlError) return { read: () => '1' };
    throw error;
  }
}

const COUNT = sql.raw('pg_catalog.count(*)');

/** Wraps the change of rows in the query that builds the field's JSON. */
function change(
  { field, selected }: Use,
  table: Table,
  context: CompileContext,
  write: (alias: Sql, row: Row) => Sql,
): Change {
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} has no fields`);
  const target = context.aliases.next('b');
  const affected = context.aliases.next('a');
  const row = rowOf(table, target);
  const returned = new SubqueryRow(row, affected);
  const object = jsonObject(
    selected.selections(type.name).map((part) => {
      const partField = fieldOf(type, part.name);
      if (partField === undefined) throw new GraphqlError(`unknown field in ${field.source?.is}`);
      if (part.name === 'affectedCount') return [part.key, COUNT];
      if (part.name === '__typename') return [part.key, literal(type.name)];
      return [part.key, recordsOf({ field: partField, selected: part }, returned, context)];
    }),
  );
  // Reading a column makes row-level security check that the role may see the rows, as upstream's statements do.
  const [readable] = readableColumns(table);
  if (readable !== undefined) returned.column(readable.name);
  const written = write(target, row);
  return {
    statement: sql`with ${affected} as (${written} returning ${returned.list()}) select ${object} as data, ${COUNT} as affected from ${affected}`,
    limit: null,
  };
}

function recordsOf({ field, selected }: Use, row: Row, context: CompileContext): Sql {
  rejectOtherArguments(selected, []);
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} has no fields`);
  return sql`coalesce(${call('json_agg', fieldsOf({ type, selected }, row, context))}, '[]'::pg_catalog.json)`;
}

/** The columns that are set, with their values. */
function setOf(input: Input, type: InputObjectType): readonly (readonly [Column, Slot])[] {
  const set = [...cellsOf(input, type)].flatMap(([column, value]) =>
    value.kind === 'absent' ? [] : [[column, slotOf(value)] as const],
  );
  if (set.length === 0) throw new GraphqlError('At least one mapping must be provided to set argument');
  return set;
}

/** The values of an input object by column, in the order of the input. */
function cellsOf(input: Input, type: InputObjectType): ReadonlyMap<Column, Input> {
  const cells = new Map<Column, Input>();
  for (const [name, value] of input.kind === 'object' ? input.entries : []) {
    const source = inputFieldOf(type, name)?.source;
    if (source?.is !== 'column') throw new Error(`${type.name}.${name} isn't a column`);
    cells.set(source.column, value);
  }
  return cells;
}

/** The columns and the source of an insert's rows. */
interface Rows {
  readonly columns: readonly Column[];
  readonly source: Sql;
}

function rowsOf(input: Input, type: InputObjectType, table: Table): Rows {
  if (input.kind === 'list' && input.each !== null) return rowsOfVariable(input, input.each, type, table);
  const rows = (input.kind === 'list' ? input.items : [])
    .filter((row) => row.kind === 'object')
    .map((row) => cellsOf(row, type));
  if (rows.length === 0) throw new GraphqlError('At least one record must be provided to objects');
  const given = new Set(rows.flatMap((cells) => [...cells.keys()]));
  const columns = given.size === 0 ? defaultColumns(table) : table.columns.filter((one) => given.has(one));
  const tuples = rows.map((cells) => {
    const values = columns.map((column) => {
      const value = cells.get(column);
      return value === undefined || value.kind === 'absent' ? DEFAULT : cast(slotOf(value), column.typeName);
    });
    return sql`(${sql.join(values)})`;
  });
  return { columns, source: sql`values ${sql.join(tuples)}` };
}

const DEFAULT = sql.raw('default');

/** A column for rows without values, since VALUES needs one. */
const defaultColumns = (table: Table): readonly Column[] =>
  table.columns.filter(({ privileges }) => privileges.insert).slice(0, 1);

/**
 * The rows of a variable, all with the same columns: one array per column, so that the statement is the same for any
 * number of rows.
 */
function rowsOfVariable(list: InputList, row: Input, type: InputObjectType, table: Table): Rows {
  const cells = cellsOf(row, type);
  const { place } = list;
  if (place === null) throw new Error('A list without a place has no elements in common');
  const names = new Map(type.inputFields.map(({ name, source }) => [source, name]));
  const columns = table.columns.filter((column) => cells.has(column));
  const arrays = columns.map((column) => {
    const name =
      [...names].find(([source]) => source?.is === 'column' && source.column === column)?.[1] ?? '';
    const slot = columnSlotOf([...place, EACH, name], cells.get(column) as Input);
    return call('unnest', sql`${slot}::pg_catalog.text[]`);
  });
  const values = columns.map(
    (column, index) => sql`"rows".${sql.id(`c${index}`)}::${sql.raw(typeSql(column.typeName))}`,
  );
  const aliases = columns.map((_, index) => sql.id(`c${index}`));
  return {
    columns,
    source: sql`select ${sql.join(values)} from rows from (${sql.join(arrays)}) as "rows" (${sql.join(aliases)})`,
  };
}
