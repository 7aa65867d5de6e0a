/**
 * Runs the checks that only PostgreSQL can perform: row visibility, conditions and the validation of new subscriptions.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Change, ConvertedValues, Table } from '../core/change.ts';
import type { ChangeRequest } from '../core/filter.ts';
import type { PendingTest, ValidCondition } from '../core/filter-match.ts';
import { areOver } from '../core/snapshot.ts';
import { isServerResponse } from '../errors.ts';
import { currentSnapshot } from '../queries.ts';

/** A subscriber's role and claims, which determine what policies allow. */
export interface ClaimSet {
  readonly role: string;
  readonly sub: string;
  readonly claimsJson: string;
}

/** The time limit for evaluating the policies of a batch, in milliseconds. A query that takes longer is canceled. */
const checkTimeoutMs = 10_000;

/** The settings that make values look like those in the change stream, even if the database has other defaults. */
const streamFormat: readonly (readonly [string, string])[] = [
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
];

/**
 * Returns the indexes of the rows that each claim set can currently see. `keys` contains the primary key of each row as
 * text, in the order of `table.primaryKey`.
 */
export async function visibleRows(
  pool: Pool,
  { functionName, table }: { readonly functionName: string; readonly table: Table },
  keys: readonly (readonly string[])[],
  claimSets: readonly ClaimSet[],
): Promise<Map<ClaimSet, readonly number[]>> {
  // The claim sets are sorted by role so that the role is set only when it changes.
  const sorted = [...claimSets].sort((a, b) => (a.role < b.role ? -1 : a.role > b.role ? 1 : 0));
  const parameters = [
    ...table.primaryKey.map((_, column) => keys.map((key) => key[column] as string)),
    sorted.map(({ role }) => role),
    sorted.map(({ sub }) => sub),
    sorted.map(({ claimsJson }) => claimsJson),
  ];
  const rows = await pool.transaction(
    (tx) =>
      tx.query<{ claim_set: number; row_numbers: number[] }>(
        sql`select claim_set, row_numbers from ${sql.id('_realtime', functionName)}(${sql.join(parameters)})`,
      ),
    {
      readOnly: true,
      end: 'rollback',
      settings: [...streamFormat, ['statement_timeout', String(checkTimeoutMs)]],
    },
  );
  return new Map(
    rows.map(({ claim_set, row_numbers }) => [
      sorted[claim_set - 1] as ClaimSet,
      row_numbers.map((number) => number - 1),
    ]),
  );
}

/**
 * Returns the current values of the rows' owner columns. The query runs as the API role that bypasses RLS, and the
 * values never leave this process.
 */
export async function ownersOf(
  pool: Pool,
  table: Table,
  keys: readonly (readonly string[])[],
): Promise<ReadonlySet<string>> {
  const keyColumns = table.columns.filter(({ inPrimaryKey }) => inPrimaryKey);
  const values = keyColumns.map(({ name, sqlType }) => {
    const index = table.primaryKey.indexOf(name);
    return sql`${keys.map((key) => key[index] as string)}::text[]::${sql.raw(sqlType)}[]`;
  });
  const names = keyColumns.map((_, index) => sql.id(`key_${index}`));
  const same = keyColumns.map(({ name }, index) => sql`t.${sql.id(name)} = k.${names[index]}`);
  const owners = (table.ownerColumns ?? []).map((name) => sql`t.${sql.id(name)}::text`);
  const rows = await pool.transaction(
    (tx) =>
      tx.query<{ owner: string }>(sql`
        select distinct o.owner
        from unnest(${sql.join(values)}) as k (${sql.join(names)})
        join ${sql.id(table.schema, table.name)} t on ${sql.join(same, ' and ')}
        cross join unnest(array[${sql.join(owners)}]) as o (owner)
        where o.owner is not null`),
    {
      readOnly: true,
      end: 'rollback',
      settings: [
        ['role', 'service_role'],
        ['statement_timeout', String(checkTimeoutMs)],
      ],
    },
  );
  return new Set(rows.map(({ owner }) => owner));
}

const notOverMs = 1;
const patienceMs = 10_000;

/**
 * Resolves when other sessions can see the transactions' changes, or after a timeout. A commit that waits for a standby
 * can cause the timeout.
 */
export async function untilOver(pool: Pool, transactionIds: ReadonlySet<number>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!areOver(await currentSnapshot(pool), transactionIds) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, notOverMs));
  }
}

/**
 * Creates the function that {@link visibleRows} calls, if necessary, and returns its name. Returns null for a table
 * that doesn't have a primary key.
 */
export async function makeVisibility(pool: Pool, oid: number): Promise<string | null> {
  const [row] = await pool.query<{ name: string | null }>(
    sql`select _plinth.realtime_make_visibility(${oid}) as name`,
  );
  return row?.name ?? null;
}

export async function checkConditions(
  pool: Pool,
  tests: readonly PendingTest[],
  timeoutMs = checkTimeoutMs,
): Promise<readonly boolean[]> {
  const of = <T>(pick: (test: PendingTest) => T): T[] => tests.map(pick);
  const [row] = await pool.transaction(
    (tx) =>
      tx.query<{ results: boolean[] }>(sql`
        select _plinth.realtime_check_conditions(
          ${of(({ compiled }) => compiled.condition.operator)},
          ${of(({ compiled }) => compiled.sqlType)},
          ${of(({ value }) => value)},
          ${of(({ compiled }) => compiled.condition.value)},
          ${of(({ compiled }) => compiled.condition.negate)}
        ) as results`),
    { readOnly: true, end: 'rollback', settings: [['statement_timeout', String(timeoutMs)]] },
  );
  return row?.results ?? [];
}

/** Converts values of types that have a cast to json. A value that can't be converted is null. */
async function jsonValues(
  pool: Pool,
  values: readonly { readonly sqlType: string; readonly text: string }[],
): Promise<readonly (string | null)[]> {
  const [row] = await pool.transaction(
    (tx) =>
      tx.query<{ results: (string | null)[] }>(sql`
        select _plinth.realtime_json_values(
          ${values.map(({ sqlType }) => sqlType)}, ${values.map(({ text }) => text)}
        )::text[] as results`),
    { readOnly: true, end: 'rollback', settings: [['statement_timeout', String(checkTimeoutMs)]] },
  );
  return row?.results ?? [];
}

/**
 * Validates a subscription against a table. Returns the subscription's conditions, with operands in the output format
 * of their types.
 * @throws {PostgresErrorShape} with the message for the client
 */
export async function checkSubscription(
  pool: Pool,
  oid: number,
  role: string,
  request: ChangeRequest,
): Promise<ValidCondition[]> {
  const { conditions, select } = request;
  // A role without access to the schema can't filter by any of the table's columns, because a filter could reveal the
  // values of deleted rows.
  const [row] = await pool.query<{ normals: (string | null)[][] }>(sql`
    select _plinth.realtime_check_subscription(
      (select c.oid from pg_catalog.pg_class c
        where c.oid = ${oid} and has_schema_privilege(${role}::name, c.relnamespace, 'USAGE')), ${role}, ${JSON.stringify(conditions)}::jsonb, ${select === undefined ? null : [...select]}
    ) as normals`);
  const normals = row?.normals ?? [];
  return conditions.map((condition, index) => ({ ...condition, normal: normals[index] ?? [] }));
}

const keyOf = (sqlType: string, text: string): string => JSON.stringify([sqlType, text]);

/** Converts a batch's values of types that only PostgreSQL can convert to JSON, with one query per batch. */
export async function convertValues(
  pool: Pool,
  log: Logger,
  changes: readonly { readonly change: Change; readonly table: Table }[],
): Promise<ConvertedValues> {
  const distinct = new Map<string, { sqlType: string; text: string }>();
  for (const { change, table } of changes) {
    for (const { name, shape, sqlType } of table.columns) {
      if (shape.kind !== 'cast') continue;
      for (const text of [change.row?.get(name), change.old?.get(name)])
        if (text != null) distinct.set(keyOf(sqlType, text), { sqlType, text });
    }
  }
  const converted = new Map<string, string>();
  if (distinct.size > 0) {
    try {
      const results = await jsonValues(pool, [...distinct.values()]);
      [...distinct.keys()].forEach((key, index) => {
        const result = results[index];
        if (result != null) converted.set(key, result);
      });
    } catch (error) {
      if (!isServerResponse(error)) throw error;
      log.warn({ error }, 'failed to convert values to JSON; sending their text');
    }
  }
  return { get: (sqlType, text) => converted.get(keyOf(sqlType, text)) };
}
