/**
 * Counts the rows that a schema change would delete or change. If counting takes too long, the number is an estimate.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { SchemaChange } from './changes.ts';
import type { Warning } from './contract.ts';
import { conversionOf } from './core/compile.ts';
import { type Loss, lossesOf } from './core/losses.ts';

const countTimeoutMs = 3000;

/** Returns the warnings for the changes, in the order of the changes. */
export async function countLosses(tx: Transaction, changes: readonly SchemaChange[]): Promise<Warning[]> {
  const warnings: Warning[] = [];
  await tx.query(sql`select set_config('statement_timeout', ${String(countTimeoutMs)}, true)`);
  for (const loss of changes.flatMap(lossesOf)) {
    const warning = await counted(tx, loss);
    if (loss.kind === 'rows' || loss.kind === 'values' || loss.kind === 'type' || loss.kind === 'unprotected')
      warnings.push(warning);
    else if (warning.rows !== 0 && (warning.changed !== 0 || warning.fault !== undefined))
      warnings.push(warning);
  }
  return warnings;
}

async function counted(tx: Transaction, loss: Loss): Promise<Warning> {
  if (loss.kind === 'type')
    return { kind: 'type', on: `${loss.schema}.${loss.name}`, rows: null, exact: true };
  const on = `${loss.schema}.${loss.table}`;
  const table = sql.id(loss.schema, loss.table);
  const base = { kind: loss.kind, on };
  if (loss.kind === 'rows' || loss.kind === 'unprotected') {
    const rows = await rowsOf(tx, table, sql.empty, on);
    return { ...base, ...rows, ...('cascade' in loss ? { cascade: loss.cascade } : {}) };
  }
  const column = sql.id(loss.column);
  const withColumn = { ...base, column: loss.column };
  if (loss.kind === 'nulls')
    return { ...withColumn, ...(await rowsOf(tx, table, sql`where ${column} is null`, on)) };
  const filled = await rowsOf(tx, table, sql`where ${column} is not null`, on);
  if (loss.kind === 'values') return { ...withColumn, ...filled, cascade: loss.cascade };
  const converted = sql.raw(conversionOf(loss.column, loss.to, loss.using));
  const changed = await tried(
    tx,
    sql`select count(*)::float8 as count from ${table} where (${converted})::text is distinct from ${column}::text`,
  );
  return {
    ...withColumn,
    ...filled,
    changed: changed.count,
    ...(changed.fault === undefined ? {} : { fault: changed.fault }),
  };
}

async function rowsOf(
  tx: Transaction,
  table: Sql,
  condition: Sql,
  name: string,
): Promise<{ rows: number | null; exact: boolean }> {
  const { count } = await tried(tx, sql`select count(*)::float8 as count from ${table} ${condition}`);
  if (count !== null) return { rows: count, exact: true };
  return { rows: await estimateOf(tx, name), exact: false };
}

async function estimateOf(tx: Queryable, name: string): Promise<number | null> {
  const [row] = await tx.query<{ rows: number }>(sql`
    select c.reltuples::float8 as rows from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where format('%s.%s', n.nspname, c.relname) = ${name}`);
  return row === undefined || row.rows < 0 ? null : row.rows;
}

/** Runs a statement in a savepoint, so that the transaction can continue if the statement fails or takes too long. */
async function tried(tx: Transaction, statement: Sql): Promise<{ count: number | null; fault?: string }> {
  try {
    const [row] = await tx.savepoint((inner) => inner.query<{ count: number }>(statement));
    return { count: row?.count ?? null };
  } catch (error) {
    if (!(error instanceof Error) || !('severity' in error)) throw error;
    return 'code' in error && error.code === '57014'
      ? { count: null }
      : { count: null, fault: error.message };
  }
}
