/**
 * Removes the copies of masked values that PostgreSQL keeps outside their tables: its statistics, which contain frequent
 * values of each column, and the rows of materialized views.
 */
import { sql } from '../../base/kernel/sql.ts';
import type { Database } from '../../platform/database/types.ts';

/**
 * @param tables the masked tables, with quoted names. Autovacuum must be off, because it would collect statistics while
 * the values are masked.
 */
export async function removeCopies(
  database: Pick<Database, 'pool'>,
  tables: readonly string[],
): Promise<void> {
  const views = await emptyViews(database);
  await removeStatistics(database, [...tables, ...views]);
  await refreshViews(database, views);
}

/**
 * Removes the statistics of tables, of their partitions and the tables that these belong to, and of their indexes on
 * expressions. PostgreSQL collects them again.
 */
const removeStatistics = (database: Pick<Database, 'pool'>, tables: readonly string[]): Promise<void> =>
  database.pool('supabase_admin').transaction(async (tx) => {
    await tx.query(sql`set local allow_system_table_mods = on`);
    const related = sql`
      with recursive related as (
        select pg_catalog.to_regclass(name)::pg_catalog.oid as oid from pg_catalog.unnest(${tables}::pg_catalog.text[]) name
        union
        select case when i.inhparent operator(pg_catalog.=) r.oid then i.inhrelid else i.inhparent end
        from related r join pg_catalog.pg_inherits i
          on r.oid operator(pg_catalog.=) i.inhparent or r.oid operator(pg_catalog.=) i.inhrelid
      )`;
    await tx.query(sql`${related}
      delete from pg_catalog.pg_statistic where starelid in (select oid from related
        union all select indexrelid from pg_catalog.pg_index where indrelid in (select oid from related))`);
    await tx.query(sql`${related}
      delete from pg_catalog.pg_statistic_ext_data where stxoid in (
        select e.oid from pg_catalog.pg_statistic_ext e where e.stxrelid in (select oid from related))`);
  });

/** Empties all materialized views that have rows, and returns their names. No query of the project runs. */
async function emptyViews(database: Pick<Database, 'pool'>): Promise<string[]> {
  const admin = database.pool('supabase_admin');
  const found = await admin.query<{ name: string }>(sql`
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
    where c.relkind operator(pg_catalog.=) 'm' and c.relispopulated order by c.oid`);
  for (const { name } of found)
    await admin.query(sql`refresh materialized view ${sql.raw(name)} with no data`);
  return found.map(({ name }) => name);
}

/**
 * Fills materialized views from the masked tables. Runs as `postgres`, because the queries are the project's. A view whose
 * query fails stays empty, for example because it needs a foreign server.
 */
async function refreshViews(database: Pick<Database, 'pool'>, views: readonly string[]): Promise<void> {
  let waiting = views;
  for (;;) {
    const failed: string[] = [];
    for (const view of waiting)
      await database
        .pool('postgres')
        .query(sql`refresh materialized view ${sql.raw(view)}`)
        .catch(() => failed.push(view));
    // A view can use another one that was still empty.
    if (failed.length === 0 || failed.length === waiting.length) return;
    waiting = failed;
  }
}
