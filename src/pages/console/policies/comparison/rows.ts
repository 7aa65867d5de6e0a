/** Reads the rows of a table for which conditions are evaluated. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Transaction } from '../../../../platform/database/types.ts';
import type { RelationFacts } from '../../why/facts.ts';

const maxRows = 10_000;
const maxBytes = 16 * 1024 * 1024;

export interface ComparedRows {
  /** The rows as text, in the format of the table's row type. */
  readonly rows: readonly string[];
  /** An estimate of the number of rows in the table if it contains more rows, otherwise null. */
  readonly allRows: number | null;
}

/** Reads all rows of a small table, or a sample of a large table's rows. */
export async function readComparedRows(tx: Transaction, relation: RelationFacts): Promise<ComparedRows> {
  const first = await readSome(tx, relation, undefined);
  if (first.isWhole) return { rows: first.rows, allRows: null };
  const allRows = Math.max(await estimate(tx, relation), first.rows.length + 1);
  // Blocks are sampled, so more rows than necessary are requested.
  const percent = Math.min(100, (100 * maxRows * 2) / allRows);
  const sample = await readSome(tx, relation, percent);
  // The estimate may be outdated, for example after an import.
  return { rows: sample.rows.length >= first.rows.length / 2 ? sample.rows : first.rows, allRows };
}

async function readSome(
  tx: Transaction,
  { schema, name }: RelationFacts,
  samplePercent: number | undefined,
): Promise<{ readonly rows: readonly string[]; readonly isWhole: boolean }> {
  const sampling =
    samplePercent === undefined ? sql.empty : sql` tablesample system (${samplePercent}::float4)`;
  const { rows } = await tx.queryText(sql`
    select s.composite from (
      select r.composite, sum(octet_length(r.composite)) over (rows unbounded preceding) as bytes
      from (select t::text as composite from ${sql.id(schema, name)} t${sampling} limit ${maxRows + 1}::int) r) s
    where s.bytes <= ${maxBytes}::int or s.bytes is null`);
  const found = rows.map(([composite]) => composite ?? '');
  const [count] = await tx.query<{ more: boolean }>(sql`
    select exists (select from ${sql.id(schema, name)} offset ${found.length}::int) as more`);
  return { rows: found.slice(0, maxRows), isWhole: found.length <= maxRows && count?.more === false };
}

/** The number of rows of the table and its partitions when they were last analyzed. */
async function estimate(tx: Transaction, { oid }: RelationFacts): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(sql`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows
    from pg_class c where c.oid = ${oid}::oid or c.oid in (select relid from pg_partition_tree(${oid}::oid::regclass) where isleaf)`);
  return Math.round(row?.rows ?? 0);
}
