/**
 * Converts schema changes to SQL statements. Names are quoted with `quoteIdentifier`, and values with `quoteLiteral`.
 * Expressions are checked in `expression.ts` and enclosed in parentheses. The SQL contains no other text from the
 * operator.
 *
 * @example
 * compileChange({ kind: 'rename_table', schema: 'public', table: 'todos', name: 'tasks' }); // ['alter table
 * "public"."todos" rename to "tasks"']
 */
import { quoteIdentifier as id, quoteLiteral } from '../../../../base/kernel/sql.ts';
import { type AccessChange, isAccessChange } from '../access-changes.ts';
import type {
  ColumnDefinition,
  ConstraintDefinition,
  ExtensionChange,
  IndexPart,
  Reference,
  SchemaChange,
  TableChange,
  TypeRef,
} from '../changes.ts';
import { isExtensionChange, isTableChange } from '../changes.ts';
import { type DefinitionChange, isDefinitionChange } from '../definition-changes.ts';
import { isObjectChange, type ObjectChange } from '../object-changes.ts';
import { compileAccessChange } from './compile-access.ts';
import { compileDefinitionChange } from './compile-definitions.ts';
import { compileObjectChange } from './compile-objects.ts';
import { ChangeFault, expression, qualified, typeName } from './parts.ts';

type Of<Kind extends SchemaChange['kind']> = Extract<SchemaChange, { kind: Kind }>;

/** Returns the statements for a change in order, without semicolons. @throws {ChangeFault} */
export function compileChange(change: SchemaChange): string[] {
  if (isAccessChange(change)) return compileAccessChange(change);
  if (isObjectChange(change)) return compileObjectChange(change);
  if (isDefinitionChange(change)) return compileDefinitionChange(change);
  if (isTableChange(change)) return compileTableChange(change);
  return isExtensionChange(change) ? compileExtensionChange(change) : [compileOther(change)];
}

function compileTableChange(change: TableChange): string[] {
  const table = qualified(change.schema, change.table);
  switch (change.kind) {
    case 'create_table':
      return createTable(change, table);
    case 'rename_table':
      return [`alter table ${table} rename to ${id(change.name)}`];
    case 'comment_table':
      return [`comment on table ${table} is ${textOrNull(change.comment)}`];
    case 'drop_table':
      return [`drop table ${table}${cascade(change)}`];
    case 'replica_identity':
      return [`alter table ${table} replica identity ${change.identity}`];
    case 'set_rls':
      return [`alter table ${table} ${change.enabled ? 'enable' : 'disable'} row level security`];
    case 'add_column':
      return [
        `alter table ${table} add column ${columnDefinition(change.column)}`,
        ...columnComment(table, change.column.name, change.column.comment),
      ];
    case 'alter_column':
      return alterColumn(change, table);
    case 'drop_column':
      return [`alter table ${table} drop column ${id(change.column)}${cascade(change)}`];
    case 'add_constraint':
      return [`alter table ${table} add ${named(change.name)}${constraintDefinition(change.constraint)}`];
    case 'drop_constraint':
      return [`alter table ${table} drop constraint ${id(change.name)}${cascade(change)}`];
    case 'create_index':
      return [createIndex(change, table)];
    case 'drop_index':
      return [`drop index ${qualified(change.schema, change.name)}`];
    case 'create_trigger':
      return [createTrigger(change, table)];
    case 'drop_trigger':
      return [`drop trigger ${id(change.name)} on ${table}`];
    case 'set_trigger':
      return [`alter table ${table} ${change.enabled ? 'enable' : 'disable'} trigger ${id(change.name)}`];
  }
}

function compileExtensionChange(change: ExtensionChange): string[] {
  const extension = id(change.extension);
  switch (change.kind) {
    case 'create_extension': {
      const { schema } = change;
      return [
        ...(schema === undefined ? [] : [`create schema if not exists ${id(schema)}`]),
        `create extension ${extension}${schema === undefined ? '' : ` with schema ${id(schema)}`}${cascade(change)}`,
      ];
    }
    case 'update_extension':
      return [`alter extension ${extension} update`];
    case 'drop_extension':
      return [`drop extension ${extension}${cascade(change)}`];
  }
}

function compileOther(
  change: Exclude<
    SchemaChange,
    TableChange | ExtensionChange | AccessChange | DefinitionChange | ObjectChange
  >,
): string {
  if (change.kind === 'create_schema') return `create schema ${id(change.name)}`;
  const type = qualified(change.schema, change.name);
  switch (change.kind) {
    case 'create_enum':
      return `create type ${type} as enum (${change.values.map(quoteLiteral).join(', ')})`;
    case 'add_enum_value': {
      const place = change.before === undefined ? '' : ` before ${quoteLiteral(change.before)}`;
      return `alter type ${type} add value ${quoteLiteral(change.value)}${place}`;
    }
    case 'rename_enum_value':
      return `alter type ${type} rename value ${quoteLiteral(change.value)} to ${quoteLiteral(change.to)}`;
    case 'rename_enum':
      return `alter type ${type} rename to ${id(change.to)}`;
    case 'drop_enum':
      return `drop type ${type}`;
  }
}

function createTable(change: Of<'create_table'>, table: string): string[] {
  const parts = [
    ...change.columns.map(columnDefinition),
    ...change.constraints.map((each) => `${named(each.name)}${constraintDefinition(each)}`),
  ];
  return [
    parts.length === 0 ? `create table ${table} ()` : `create table ${table} (\n  ${parts.join(',\n  ')}\n)`,
    ...(change.comment === undefined ? [] : [`comment on table ${table} is ${quoteLiteral(change.comment)}`]),
    ...change.columns.flatMap(({ name, comment }) => columnComment(table, name, comment)),
    ...(change.rls ? [`alter table ${table} enable row level security`] : []),
  ];
}

function columnDefinition(column: ColumnDefinition): string {
  const made = [column.default, column.identity, column.generated].filter((each) => each !== undefined);
  if (made.length > 1)
    throw new ChangeFault(
      `${column.name} can have only one of these: a default, an identity or a generated value`,
    );
  const parts = [id(column.name), typeName(column.type)];
  if (column.default !== undefined) parts.push(`default ${expression(column.default, 'default')}`);
  if (column.identity !== undefined) parts.push(`generated ${column.identity} as identity`);
  if (column.generated !== undefined)
    parts.push(`generated always as ${expression(column.generated, 'generated value')} stored`);
  if (!column.nullable) parts.push('not null');
  if (column.unique === true) parts.push('unique');
  if (column.check !== undefined) parts.push(`check ${expression(column.check, 'check')}`);
  if (column.references !== undefined) parts.push(references(column.references));
  return parts.join(' ');
}

function alterColumn(change: Of<'alter_column'>, table: string): string[] {
  const alter = (action: string): string => `alter column ${id(change.column)} ${action}`;
  const actions: string[] = [];
  // Drops the column's default before changing the type, because PostgreSQL may be unable to cast the default to the
  // new type.
  if (change.default === null || (typeof change.default === 'string' && change.type !== undefined))
    actions.push(alter('drop default'));
  if (change.type !== undefined) {
    const using =
      change.type.using === undefined ? '' : ` using ${expression(change.type.using, 'conversion')}`;
    actions.push(alter(`type ${typeName(change.type.to)}${using}`));
  }
  if (typeof change.default === 'string')
    actions.push(alter(`set default ${expression(change.default, 'default')}`));
  if (change.nullable !== undefined) actions.push(alter(change.nullable ? 'drop not null' : 'set not null'));
  if (change.identity !== undefined) actions.push(alter(identityAction(change.identity)));
  return [
    ...(actions.length === 0 ? [] : [`alter table ${table} ${actions.join(',\n  ')}`]),
    ...(change.comment === undefined
      ? []
      : [`comment on column ${table}.${id(change.column)} is ${textOrNull(change.comment)}`]),
    ...(change.name === undefined
      ? []
      : [`alter table ${table} rename column ${id(change.column)} to ${id(change.name)}`]),
  ];
}

function identityAction(identity: NonNullable<Of<'alter_column'>['identity']>): string {
  if (identity.action === 'drop') return 'drop identity';
  return identity.action === 'add'
    ? `add generated ${identity.as} as identity`
    : `set generated ${identity.as}`;
}

function constraintDefinition(constraint: ConstraintDefinition): string {
  switch (constraint.kind) {
    case 'primary key':
      return `primary key (${names(constraint.columns)})`;
    case 'unique': {
      const nulls = constraint.nullsNotDistinct === true ? ' nulls not distinct' : '';
      return `unique${nulls} (${names(constraint.columns)})`;
    }
    case 'check':
      return `check ${expression(constraint.expression, 'check')}`;
    case 'foreign key': {
      const deferrable = constraint.deferrable === true ? ' deferrable initially deferred' : '';
      return `foreign key (${names(constraint.columns)}) ${references(constraint.references)}${deferrable}`;
    }
  }
}

function references({ schema, table, columns, onDelete, onUpdate }: Reference): string {
  const target = columns.length === 0 ? '' : ` (${names(columns)})`;
  return [
    `references ${qualified(schema, table)}${target}`,
    ...(onUpdate === undefined ? [] : [`on update ${onUpdate}`]),
    ...(onDelete === undefined ? [] : [`on delete ${onDelete}`]),
  ].join(' ');
}

function createIndex(change: Of<'create_index'>, table: string): string {
  const name = change.name === undefined ? '' : ` ${id(change.name)}`;
  const unique = change.unique ? ' unique' : '';
  const include =
    change.include === undefined || change.include.length === 0 ? '' : ` include (${names(change.include)})`;
  const where = change.where === undefined ? '' : ` where ${expression(change.where, 'condition')}`;
  const parts = change.parts.map(indexPart).join(', ');
  const concurrently = change.concurrently === true ? ' concurrently' : '';
  return `create${unique} index${concurrently}${name} on ${table} using ${change.method} (${parts})${include}${where}`;
}

function indexPart({ column, expression: text, operatorClass, descending }: IndexPart): string {
  if ((column === undefined) === (text === undefined))
    throw new ChangeFault('each part of an index must be a column or an expression');
  const subject = column === undefined ? expression(text ?? '', 'index expression') : id(column);
  const operators = operatorClass === undefined ? '' : ` ${id(operatorClass)}`;
  return `${subject}${operators}${descending === true ? ' desc' : ''}`;
}

function createTrigger(change: Of<'create_trigger'>, table: string): string {
  const events = change.events.map((event) =>
    event === 'update' && change.columns !== undefined && change.columns.length > 0
      ? `update of ${names(change.columns)}`
      : event,
  );
  const when = change.when === undefined ? '' : `\n  when ${expression(change.when, 'condition')}`;
  const call = `${qualified(change.function.schema, change.function.name)}(${(change.arguments ?? []).map(quoteLiteral).join(', ')})`;
  return (
    `create trigger ${id(change.name)} ${change.timing} ${events.join(' or ')} on ${table}\n` +
    `  for each ${change.forEach}${when}\n  execute function ${call}`
  );
}

/**
 * Returns an expression that converts a column's values to another type. The expression is used to count the rows whose
 * values would change.
 */
export function conversionOf(column: string, to: TypeRef, using: string | undefined): string {
  return `${using === undefined ? id(column) : expression(using, 'conversion')}::${typeName(to)}`;
}

const columnComment = (table: string, name: string, comment: string | undefined): string[] =>
  comment === undefined || comment === ''
    ? []
    : [`comment on column ${table}.${id(name)} is ${quoteLiteral(comment)}`];

const names = (columns: readonly string[]): string => columns.map(id).join(', ');
const named = (name: string | undefined): string => (name === undefined ? '' : `constraint ${id(name)} `);
const cascade = (change: { readonly cascade: boolean }): string => (change.cascade ? ' cascade' : '');
const textOrNull = (text: string | null): string =>
  text === null || text === '' ? 'null' : quoteLiteral(text);
