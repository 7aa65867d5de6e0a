/** Prints a draft as SQL. Each object has its own statement, so a rehearsal can run single statements. */
import { quoteIdentifier as quoted, quoteLiteral } from '../../../base/kernel/sql.ts';
import { oneLine } from '../../../base/shared/printable.ts';
import type { ColumnModel, Relationship } from '../../types-file/index.ts';
import { type Draft, type FunctionDraft, policyPrefix, type TableDraft } from './draft.ts';
import { type Guess, guessDefault, guessType } from './guess.ts';

/** Returns all statements in an order in which each object exists before it is used. */
export function baselineStatements(draft: Draft): string[] {
  const tables = [...draft.tables.values()];
  return [
    ...extensionsOf(draft),
    ...schemasOf(draft),
    ...[...draft.enums.keys()].map((key) => enumStatement(draft, key)),
    ...[...draft.domains].map(domainStatement),
    ...[...draft.compositeTypes.keys()].map((key) => compositeStatement(draft, key)),
    ...tables.map((table) => tableStatement(draft, table)),
    ...tables.flatMap((table) => uniqueStatements(draft, table)),
    ...tables.flatMap((table) => referenceStatements(draft, table)),
    ...[...draft.functions.values()].map(functionStatement),
    ...[...draft.views.keys()].map((key) => viewStatement(draft, key)),
    ...tables.flatMap((table) => stubStatements(table)),
    ...tables.flatMap((table) => securityStatements(draft, table)),
  ];
}

export const nameOf = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${bare(schema)}.${bare(name)}`;

/** Returns a name, quoted if necessary. */
export const bare = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : quoted(name);

/** Words that can't be the name of a table, column or function without quotes, or that begin the name of a type. */
const reserved = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char ' +
    'character check coalesce collate collation column concurrently constraint create cross current_catalog current_date ' +
    'current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do ' +
    'else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike ' +
    'in initially inner inout int integer intersect interval into is isnull join lateral leading least left like limit ' +
    'localtime localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or order ' +
    'out outer overlaps overlay placing position precision primary real references returning right row select session_user ' +
    'setof similar smallint some substring symmetric system_user table tablesample then time timestamp to trailing treat trim ' +
    'true union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement ' +
    'xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable'
  ).split(' '),
);

const listOf = (names: readonly string[]): string => names.map(bare).join(', ');

function extensionsOf(draft: Draft): string[] {
  const usesVector = [...draft.tables.values()].some((table) =>
    table.columns.some((column) => typeOf(draft, table, column).type.startsWith('extensions.vector')),
  );
  const names = usesVector ? new Set([...draft.extensions, 'vector']) : draft.extensions;
  // Extensions that create their own schema.
  const hasSchema = (name: string) => ['pg_cron', 'pg_net', 'pgmq'].includes(name);
  return [...names].map(
    (name) =>
      `create extension if not exists ${bare(name)}${hasSchema(name) ? '' : ' with schema extensions'}`,
  );
}

function schemasOf(draft: Draft): string[] {
  const { tables, enums, domains, compositeTypes, functions, views } = draft;
  const keys = [tables, enums, domains, compositeTypes, functions, views].flatMap((part) => [...part.keys()]);
  const schemas = new Set([...draft.schemas, ...keys.map((key) => key.slice(0, key.indexOf('.')))]);
  schemas.delete('public');
  return [...schemas].map((schema) => `create schema if not exists ${bare(schema)}`);
}

const fromKey = (key: string) => ({
  schema: key.slice(0, key.indexOf('.')),
  name: key.slice(key.indexOf('.') + 1),
});

function enumStatement(draft: Draft, key: string): string {
  const values = enumValues(draft, key).map((value) => quoteLiteral(value));
  return `create type ${nameOf(fromKey(key))} as enum (${values.join(', ')})`;
}

const domainStatement = (key: string): string =>
  `-- Not in the types. Guess: text.\ncreate domain ${nameOf(fromKey(key))} as text`;

const enumValues = (draft: Draft, key: string): string[] =>
  (draft.enums.get(key)?.values ?? []).filter((value) => !draft.excluded.has(`${key} value ${value}`));

function compositeStatement(draft: Draft, key: string): string {
  const attributes = draft.compositeTypes.get(key)?.columns ?? [];
  const lines = attributes.map((column) => `${bare(column.name)} ${typeOfValue(draft, column).type}`);
  return `create type ${nameOf(fromKey(key))} as (${lines.join(', ')})`;
}

function tableStatement(draft: Draft, table: TableDraft): string {
  const lines = table.columns.map((column) => columnLine(draft, table, column));
  const primaryKey = primaryKeyOf(table);
  if (primaryKey.length > 0) lines.push({ sql: `primary key (${listOf(primaryKey)})`, reason: undefined });
  const heading = table.isKnown
    ? []
    : ['-- Not in the types. Its columns are those that the migrations use.'];
  const body = lines.map(({ sql, reason }, index) => {
    const comma = index < lines.length - 1 ? ',' : '';
    return `  ${sql}${comma}${reason === undefined ? '' : ` -- guess: ${reason}`}`;
  });
  return [...heading, `create table ${nameOf(table)} (`, ...body, ')'].join('\n');
}

/** Returns the columns of the primary key, except for columns that the migrations add. */
function primaryKeyOf(table: TableDraft): readonly string[] {
  const has = (name: string) => table.columns.some((column) => column.name === name);
  return table.primaryKey.every(has) ? table.primaryKey : [];
}

function columnLine(
  draft: Draft,
  table: TableDraft,
  column: ColumnModel,
): { sql: string; reason: string | undefined } {
  const { sql, reason } = columnDefinition(draft, table, column);
  return { sql, reason };
}

/** Returns a column's definition for `create table` and `alter table … add column`. */
export function columnDefinition(
  draft: Draft,
  table: TableDraft,
  column: ColumnModel,
): { readonly sql: string; readonly reason: string | undefined } {
  const { type, reason } = typeOf(draft, table, column);
  const isPrimaryKey = primaryKeyOf(table).includes(column.name);
  const enumKey = column.type.kind === 'enum' ? `${column.type.name?.schema}.${column.type.name?.name}` : '';
  const isIdentity =
    type === 'bigint' && (column.generated || (isPrimaryKey && column.optional && !column.nullable));
  const fallback = guessDefault(column, type, { isPrimaryKey, enumValues: enumValues(draft, enumKey) });
  const parts = [
    bare(column.name),
    type,
    ...(isIdentity ? [`generated ${column.generated ? 'always' : 'by default'} as identity`] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
    ...(column.nullable || isPrimaryKey || (column.generated && !isIdentity) ? [] : ['not null']),
  ];
  const reasons = [
    ...(reason === undefined ? [] : [reason]),
    ...(fallback === undefined ? [] : ['default']),
    ...(column.generated && !isIdentity ? ["generated; the types don't contain the expression"] : []),
  ];
  return { sql: parts.join(' '), reason: reasons.length === 0 ? undefined : reasons.join('; ') };
}

/**
 * Returns the type of a column. This type is the one that a statement requires, the referenced column's type, or
 * otherwise a guess from the TypeScript type and the name.
 */
export function typeOf(draft: Draft, table: TableDraft, column: ColumnModel): Guess {
  return typeWithin(draft, table, column, new Set());
}

function typeWithin(draft: Draft, table: TableDraft, column: ColumnModel, seen: Set<string>): Guess {
  const key = `${table.schema}.${table.name}.${column.name}`;
  const learned = draft.types.get(key);
  if (learned !== undefined) return { type: learned, reason: 'a migration needs this type' };
  const { kind } = column.type;
  if ((kind !== 'string' && kind !== 'number') || column.type.dimensions > 0 || seen.has(key))
    return typeOfValue(draft, column);
  seen.add(key);
  const model = draft.tableModel(table.schema, table.name);
  for (const { columns, referencedRelation, referencedColumns } of model?.relationships ?? []) {
    const at = columns.indexOf(column.name);
    const referenced = draft.tables.get(`${table.schema}.${referencedRelation}`);
    const target = referenced?.columns.find(({ name }) => name === referencedColumns[at]);
    if (at < 0 || referenced === undefined || target === undefined) continue;
    if (referenced === table && target.name === column.name) continue;
    return {
      type: typeWithin(draft, referenced, target, seen).type,
      reason: `as ${referencedRelation}.${target.name}`,
    };
  }
  return typeOfValue(draft, column);
}

/** Returns the type of an attribute or a parameter, which doesn't belong to a table. */
export function typeOfValue(draft: Draft, column: Pick<ColumnModel, 'name' | 'type'>): Guess {
  const { kind, name, dimensions } = column.type;
  if ((kind !== 'enum' && kind !== 'composite') || name === undefined) return guessType(column);
  const key = `${name.schema}.${name.name}`;
  const written = `${nameOf(name)}${'[]'.repeat(dimensions)}`;
  if (draft.enums.has(key) || draft.compositeTypes.has(key)) return { type: written };
  const type = kind === 'enum' ? 'text' : 'jsonb';
  const reason = `the ${kind} ${name.name} is created by a later migration`;
  return { type: `${type}${'[]'.repeat(dimensions)}`, reason };
}

export const uniqueName = (table: string, columns: readonly string[]): string =>
  `${table}_${columns.join('_')}_key`;

/**
 * Returns statements for the unique constraints that references and one-to-one relationships need. The statements are
 * printed after the tables.
 */
function uniqueStatements(draft: Draft, table: TableDraft): string[] {
  const needed = new Map<string, readonly string[]>();
  const want = (columns: readonly string[]) => {
    const isThere = columns.every((name) => table.columns.some((column) => column.name === name));
    const isKey = columns.join() === primaryKeyOf(table).join();
    if (isThere && !isKey) needed.set([...columns].sort().join(), columns);
  };
  const guessed = new Set(table.uniques);
  table.uniques.forEach(want);
  for (const { isOneToOne, columns } of draft.tableModel(table.schema, table.name)?.relationships ?? [])
    if (isOneToOne) want(columns);
  for (const other of draft.tables.values())
    for (const { referencedRelation, referencedColumns } of referencesOf(draft, other))
      if (other.schema === table.schema && referencedRelation === table.name) want(referencedColumns);
  return [...needed.values()].flatMap((columns) => {
    const name = uniqueName(table.name, columns);
    if (draft.excluded.has(`${table.schema}.${table.name} constraint ${name}`)) return [];
    const comment = guessed.has(columns) ? '-- Guess: a migration needs this constraint.\n' : '';
    return [
      `${comment}alter table ${nameOf(table)} add constraint ${bare(name)} unique (${listOf(columns)})`,
    ];
  });
}

/**
 * Returns the references between tables and columns in the baseline. The generator also lists references to a table's
 * views. They are omitted.
 */
export function referencesOf(draft: Draft, table: TableDraft): Relationship[] {
  const seen = new Set<string>();
  return (draft.tableModel(table.schema, table.name)?.relationships ?? []).filter((relationship) => {
    const { name, columns, referencedRelation, referencedColumns } = relationship;
    const target = draft.tables.get(`${table.schema}.${referencedRelation}`);
    const has = (of: TableDraft | undefined, names: readonly string[]) =>
      names.every((column) => of?.columns.some((one) => one.name === column));
    const isWanted =
      !seen.has(name) &&
      !draft.excluded.has(`${table.schema}.${table.name} constraint ${name}`) &&
      has(table, columns) &&
      has(target, referencedColumns);
    if (isWanted) seen.add(name);
    return isWanted;
  });
}

function referenceStatements(draft: Draft, table: TableDraft): string[] {
  return referencesOf(draft, table).map(({ name, columns, referencedRelation, referencedColumns }) => {
    const target = nameOf({ schema: table.schema, name: referencedRelation });
    return (
      `alter table ${nameOf(table)} add constraint ${bare(name)}\n` +
      `  foreign key (${listOf(columns)}) references ${target} (${listOf(referencedColumns)})`
    );
  });
}

function functionStatement({ schema, name, parameters, returns, isCalled }: FunctionDraft): string {
  const list = parameters.map(
    (one) =>
      `${one.name === undefined ? '' : `${bare(one.name)} `}${one.type}${one.optional ? ' default null' : ''}`,
  );
  // All parameters that follow a parameter with a default must also have defaults.
  const firstOptional = parameters.findIndex(({ optional }) => optional);
  const withDefaults = list.map((one, index) =>
    firstOptional >= 0 && index > firstOptional && !one.endsWith(' default null')
      ? `${one} default null`
      : one,
  );
  const head = `create function ${nameOf({ schema, name })}(${withDefaults.join(', ')}) returns ${returns}`;
  if (returns === 'trigger') {
    const setTime = /updated?_?at|modified|timestamp/.test(name);
    const body = setTime
      ? `begin\n  new.updated_at = now();\n  return new;\nend`
      : 'begin\n  return new;\nend';
    return `-- Guess: a trigger function's body isn't in the types.\n${head}\nlanguage plpgsql as $$${body}$$`;
  }
  if (isCalled) {
    const body = /^(void$|setof\b|table\b)/i.test(returns)
      ? 'begin\n  return;\nend'
      : 'begin\n  return null;\nend';
    return `-- Returns nothing because its body isn't in the types. Migrations call it.\n${head}\nlanguage plpgsql stable as $$${body}$$`;
  }
  const message = quoteLiteral(
    `${name}: the baseline doesn't contain this function's body. Run "supabase db pull" to get it from the hosted project`,
  );
  return `-- Its body isn't in the types.\n${head}\nlanguage plpgsql as $$begin\n  raise feature_not_supported using message = ${message};\nend$$`;
}

function viewStatement(draft: Draft, key: string): string {
  const columns = draft.views.get(key)?.columns ?? [];
  const list = columns.map((column) => `  null::${typeOfValue(draft, column).type} as ${bare(column.name)}`);
  return `-- Returns no rows because its query isn't in the types.\ncreate view ${nameOf(fromKey(key))} with (security_invoker = true) as select\n${list.join(',\n')}\nwhere false`;
}

/**
 * Returns statements that create placeholders for objects that a migration drops or alters even though no migration
 * creates them.
 */
function stubStatements(table: TableDraft): string[] {
  return [
    ...[...table.constraints].map((name) => constraintStub(table, name)),
    ...[...table.policies].map((name) => policyStub(table, name)),
  ];
}

export const constraintStub = (table: TableDraft, name: string): string =>
  `-- A migration drops this constraint.\nalter table ${nameOf(table)} add constraint ${bare(name)} check (true)`;

export const policyStub = (table: TableDraft, name: string): string =>
  `-- A migration drops or alters this policy. It allows no access.\ncreate policy ${quoted(name)} on ${nameOf(table)} using (false)`;

function securityStatements(draft: Draft, table: TableDraft): string[] {
  const key = `${table.schema}.${table.name}`;
  const enable = `alter table ${nameOf(table)} enable row level security`;
  const owner = draft.ownerPolicies.get(key);
  if (owner !== undefined) {
    const isText =
      typeOf(draft, table, table.columns.find(({ name }) => name === owner) as ColumnModel).type === 'text';
    const mine = `(select auth.uid())${isText ? '::text' : ''} = ${bare(owner)}`;
    return [
      enable,
      `-- No migration creates a policy for this table. Guess: users can access their own rows.\n` +
        `create policy "${policyPrefix}own rows" on ${nameOf(table)} for all to authenticated\n  using (${mine}) with check (${mine})`,
    ];
  }
  if (!draft.withoutPolicy.has(key)) return [enable];
  return [
    `-- No migration creates a policy for this table, so clients can't read it. To let everyone read it:\n` +
      `-- create policy "${policyPrefix}everyone reads" on ${oneLine(nameOf(table))} for select using (true);\n${enable}`,
  ];
}
