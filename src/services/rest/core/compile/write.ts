/**
 * Compiles write plans to INSERT, UPDATE and DELETE. The JSON body is a single parameter, which PostgreSQL unpacks into
 * rows.
 */
import { quoteLiteral, type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { PlanField, WriteBody, WritePlan } from '../plan/types.ts';
import { columnOf, conditionOf, nameOf, param, transformed } from './fragments.ts';
import { whereAll } from './read.ts';

const BODY = { schema: '', name: 'pgrst_body' };

/** A transaction-local setting that counts the rows inserted by an upsert. */
export const INSERTED = `nullif(current_setting('pgrst.inserted', true), '')::int`;
const countInserted = (step: '+ 1' | '- 1') =>
  sql.raw(
    `set_config('pgrst.inserted', (coalesce(${INSERTED}, 0) ${step})::text, true) <> '${step === '+ 1' ? 0 : -1}'`,
  );

/** Returns the statement of a write whose rows another part of the query reads. */
export const writeOf = (plan: WritePlan, isDistributed: boolean): Sql =>
  writeReturning(plan, returningOf(plan), isDistributed);

/**
 * Returns the statement of a write. `returning` is its RETURNING clause, or empty. `isDistributed` specifies whether
 * Citus plans the statement.
 */
export function writeReturning(plan: WritePlan, returning: Sql, isDistributed: boolean): Sql {
  switch (plan.mutation) {
    case 'insert':
    case 'put':
      return insertOf(plan, returning, isDistributed);
    case 'update':
      return updateOf(plan, returning, isDistributed);
    case 'delete': {
      const conditions = plan.where.map((condition) => conditionOf(plan.table, condition));
      return sql`delete from ${nameOf(plan.table)}${whereAll(conditions)}${returning}`;
    }
  }
}

function insertOf(plan: WritePlan, returning: Sql, isDistributed: boolean): Sql {
  const { columns } = plan.body;
  const isPut = plan.mutation === 'put';
  const merges = plan.conflict?.resolution === 'merge-duplicates';
  const names = columns.map((column) => sql.id(column.name));
  const list = names.length === 0 ? sql.raw(' ') : sql` (${sql.join(names)}) `;
  const values = sql.join(columns.map((column) => columnOf(BODY, column.name)));
  const conditions = [
    ...((isPut || merges) && !isDistributed ? [countInserted('+ 1')] : []),
    // PUT writes a body row only if the row matches the filters in the URL.
    ...(isPut ? plan.where.map((condition) => conditionOf(BODY, condition)) : []),
  ];
  return sql`insert into ${nameOf(plan.table)}${list}select ${values}${bodyOf(plan.body, isDistributed)}${whereAll(conditions)}${conflictOf(plan, isDistributed)}${returning}`;
}

function conflictOf(plan: WritePlan, isDistributed: boolean): Sql {
  const { conflict } = plan;
  if (conflict === undefined || conflict.columns.length === 0) return sql.empty;
  const target = sql` on conflict (${sql.join(conflict.columns.map((name) => sql.id(name)))})`;
  if (conflict.resolution === 'ignore-duplicates' || plan.body.columns.length === 0)
    return sql`${target} do nothing`;
  const sets = plan.body.columns.map(({ name }) => sql`${sql.id(name)} = excluded.${sql.id(name)}`);
  // Citus permits only immutable functions here, so the inserted rows of its tables aren't counted.
  const counted = isDistributed ? sql.empty : sql` where ${countInserted('- 1')}`;
  return sql`${target} do update set ${sql.join(sets)}${counted}`;
}

function updateOf(plan: WritePlan, returning: Sql, isDistributed: boolean): Sql {
  const { columns } = plan.body;
  if (columns.length === 0) {
    // If the request doesn't set any columns, no rows are written. The query returns no rows, but its columns are those
    // of the representation.
    const names = plan.returning.map((name) => columnOf({ schema: '', name: plan.table.name }, name));
    const list = names.length === 0 ? sql.raw('null') : sql.join(names);
    return sql`select ${list} from ${nameOf(plan.table)} where false`;
  }
  const sets = columns.map(({ name }) => sql`${sql.id(name)} = ${columnOf(BODY, name)}`);
  const conditions = plan.where.map((condition) => conditionOf(plan.table, condition));
  return sql`update ${nameOf(plan.table)} set ${sql.join(sets)}${bodyOf(plan.body, isDistributed)}${whereAll(conditions)}${returning}`;
}

function returningOf(plan: WritePlan): Sql {
  // The written rows must be counted even if no representation is returned.
  if (plan.returning.length === 0) return sql.raw(' returning 1');
  return sql` returning ${sql.join(plan.returning.map((name) => columnOf(plan.table, name)))}`;
}

/** Returns a FROM clause that provides the body's rows as `pgrst_body`, with typed columns. */
function bodyOf(body: WriteBody, isDistributed: boolean): Sql {
  const { columns, isObject, applyDefaults } = body;
  const json = sql`${param({ kind: 'body', hex: false })}::${sql.raw(applyDefaults ? 'jsonb' : 'json')}`;
  const prefix = sql.raw(applyDefaults ? 'jsonb' : 'json');
  if (columns.length === 0) {
    return isObject
      ? sql` from (values (1)) pgrst_body`
      : sql` from ${prefix}_array_elements(${json}) pgrst_body`;
  }
  if (!applyDefaults) return sql` from ${openedBody(prefix, json, columns, { isObject, isDistributed })}`;
  const source = sql`pgrst_defaults.val`;
  return sql` from (${withDefaults(json, body)}) pgrst_defaults, lateral ${openedBody(prefix, source, columns, { isObject, isDistributed })}`;
}

/** Returns the rows of a JSON source. */
export function openedBody(
  prefix: Sql,
  source: Sql,
  columns: readonly Pick<PlanField, 'name' | 'type' | 'transform'>[],
  {
    isObject,
    isDistributed = false,
    firstRowOnly = false,
  }: { isObject: boolean; isDistributed?: boolean; firstRowOnly?: boolean },
): Sql {
  const definitions = sql.join(columns.map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(type)}`));
  // Citus evaluates a function that returns a single record before its columns are known.
  const open =
    isObject && !isDistributed
      ? sql`${prefix}_to_record(${source})`
      : sql`${prefix}_to_recordset(${isObject ? sql`${prefix}_build_array(${source})` : source})`;
  if (!firstRowOnly && columns.every((column) => column.transform === undefined)) {
    return sql`${open} as pgrst_body (${definitions})`;
  }
  const values = columns.map(({ name, transform }) =>
    transform === undefined ? sql.id(name) : sql`${transformed(transform, sql.id(name))} as ${sql.id(name)}`,
  );
  const limit = sql.raw(firstRowOnly ? ' limit 1' : '');
  return sql`(select ${sql.join(values)} from ${open} as pgrst_row (${definitions})${limit}) pgrst_body`;
}

/** Adds default values to each element in which columns are missing. */
function withDefaults(json: Sql, body: WriteBody): Sql {
  const defaults = body.columns.flatMap((column) =>
    column.default === null ? [] : [sql.raw(`${quoteLiteral(column.name)}, ${column.default}`)],
  );
  const object = sql`jsonb_build_object(${sql.join(defaults)})`;
  return body.isObject
    ? sql`select ${object} || ${json} as val`
    : sql`select jsonb_agg(${object} || elem) as val from jsonb_array_elements(${json}) elem`;
}
