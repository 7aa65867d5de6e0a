/**
 * Counts the rows that a schema change would delete or change. If counting takes too long, the number is an estimate.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { SchemaChange, TypeRef } from './changes.ts';
import type { Warning } from './contract.ts';
import { conversionOf } from './core/compile.ts';

const countTimeoutMs = 3000;

/** Returns the warnings for the changes, in the order of the changes. */
export async function countLosses(tx: Transaction, changes: readonly SchemaChange[]): Promise<Warning[]> {
  const warnings: Warning[] = [];
  await tx.query(sql`select set_config('statement_timeout', ${String(countTimeoutMs)}, true)`);
  for (const loss of await lossesOfAll(tx, changes)) {
    const warning = await counted(tx, loss);
    // Most extensions have tables that are empty or that contain only their own constants.
    if ('extension' in loss && warning.rows === 0) continue;
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

async function lossesOfAll(tx: Transaction, changes: readonly SchemaChange[]): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const change of changes) {
    losses.push(...lossesOf(change));
    if (change.kind === 'drop_extension') losses.push(...(await lossesOfExtension(tx, change)));
  }
  return losses;
}

/**
 * Finds the data that is deleted together with an extension: the rows of its tables and, with CASCADE, the columns that
 * have its types. Some extensions don't own the tables that they create, such as the queues of pgmq.
 */
async function lossesOfExtension(
  tx: Transaction,
  { extension, cascade }: Extract<SchemaChange, { kind: 'drop_extension' }>,
): Promise<Loss[]> {
  const members = sql`
    select d.classid, d.objid from pg_depend d join pg_extension e on e.oid = d.refobjid
    where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = ${extension}`;
  const tables = await tx.query<{ schema: string; table: string }>(sql`
    with member as (${members})
    select n.nspname as schema, c.relname as table
    from member m join pg_class c on c.oid = m.objid join pg_namespace n on n.oid = c.relnamespace
    where m.classid = 'pg_class'::regclass and c.relkind in ('r', 'p')
    order by 1, 2`);
  const columns = await tx.query<{ schema: string; table: string; column: string }>(sql`
    with member as (${members})
    select n.nspname as schema, c.relname as table, a.attname as column
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from member m where m.classid = 'pg_type'::regclass and m.objid in (t.oid, t.typelem))
      and not exists (select from member m where m.classid = 'pg_class'::regclass and m.objid = c.oid)
    order by 1, 2, a.attnum`);
  return [
    ...tables.map((table): Loss => ({ kind: 'rows', ...table, cascade: false, extension })),
    ...(cascade ? columns.map((column): Loss => ({ kind: 'values', ...column, cascade })) : []),
  ];
}

/** Determines which changes delete data, and which name the operator must type to confirm these changes. */
type Loss =
  | {
      readonly kind: 'rows';
      readonly schema: string;
      readonly table: string;
      readonly cascade: boolean;
      /** The extension that the table belongs to. */
      readonly extension?: string;
    }
  | {
      readonly kind: 'values';
      readonly schema: string;
      readonly table: string;
      readonly column: string;
      readonly cascade: boolean;
    }
  | {
      readonly kind: 'converted';
      readonly schema: string;
      readonly table: string;
      readonly column: string;
      readonly to: TypeRef;
      readonly using: string | undefined;
    }
  | { readonly kind: 'nulls'; readonly schema: string; readonly table: string; readonly column: string }
  | { readonly kind: 'unprotected'; readonly schema: string; readonly table: string }
  | { readonly kind: 'type'; readonly schema: string; readonly name: string };

/** Returns the data that might be deleted or exposed by a change, without counting rows. */
function lossesOf(change: SchemaChange): Loss[] {
  switch (change.kind) {
    case 'drop_table':
      return [{ kind: 'rows', schema: change.schema, table: change.table, cascade: change.cascade }];
    case 'drop_column': {
      const { schema, table, column, cascade } = change;
      return [{ kind: 'values', schema, table, column, cascade }];
    }
    case 'alter_column': {
      const { schema, table, column, type, nullable } = change;
      const losses: Loss[] = [];
      if (type !== undefined)
        losses.push({ kind: 'converted', schema, table, column, to: type.to, using: type.using });
      if (nullable === false) losses.push({ kind: 'nulls', schema, table, column });
      return losses;
    }
    case 'set_rls':
      return change.enabled ? [] : [{ kind: 'unprotected', schema: change.schema, table: change.table }];
    case 'drop_enum':
      return [{ kind: 'type', schema: change.schema, name: change.name }];
    default:
      return [];
  }
}

/**
 * Returns the name that the operator must type, which is the name of the largest object that would be permanently
 * deleted. Returns undefined if nothing would be deleted.
 */
export function nameToConfirm(changes: readonly SchemaChange[]): string | undefined {
  const table = changes.find((change) => change.kind === 'drop_table');
  if (table !== undefined) return table.table;
  const extension = changes.find((change) => change.kind === 'drop_extension');
  if (extension !== undefined) return extension.extension;
  const column = changes.find((change) => change.kind === 'drop_column');
  if (column !== undefined) return column.column;
  const dropped = changes.find(
    (change) => (change.kind === 'drop_routine' || change.kind === 'drop_view') && change.cascade,
  );
  if (dropped !== undefined && 'name' in dropped) return dropped.name;
  return changes.find((change) => change.kind === 'drop_enum')?.name;
}
