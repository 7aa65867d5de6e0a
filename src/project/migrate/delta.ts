/**
 * Finds the rows of one table that differ. The target joins the fingerprints of both tables, so memory use is constant.
 */

import { sql } from '../../base/kernel/sql.ts';
import { copyTable } from '../../operations/dump/index.ts';
import { fingerprintQuery, type SharedTable } from './core/row-text.ts';
import type { Changes, End } from './types.ts';

/**
 * Fills the target's temporary table `plinth_delta`, in which `source` and `target` are the positions of rows that
 * differ. A new row doesn't have a position in `target`, and a deleted row doesn't have one in `source`.
 */
export async function findDelta(
  source: End,
  target: End,
  table: SharedTable,
  hashed: readonly string[] = table.columns,
): Promise<Changes> {
  const { session } = target;
  await session.exec(
    'drop table if exists pg_temp.plinth_rows, pg_temp.plinth_delta;' +
      'create temporary table plinth_rows (place pg_catalog.tid, key pg_catalog.text collate "C", hash pg_catalog.bytea)',
  );
  await copyTable(source.session, session, {
    from: `COPY (${fingerprintQuery(table, hashed)}) TO STDOUT`,
    to: 'COPY pg_temp.plinth_rows FROM STDIN',
  });
  await session.exec(`
    create temporary table plinth_delta as
      select s.place as source, t.place as target from pg_temp.plinth_rows s
      full join (${fingerprintQuery(table, hashed)}) t (place, key, hash) on t.key = s.key
      where s.key is null or t.key is null or s.hash <> t.hash;
    drop table pg_temp.plinth_rows;
    create index on pg_temp.plinth_delta (source)`);
  const [row] = await session.query<{ added: number; changed: number; deleted: number }>(sql`
    select count(*) filter (where target is null) as added, count(*) filter (where source is null) as deleted,
      count(*) filter (where source is not null and target is not null) as changed
    from pg_temp.plinth_delta`);
  return { added: row?.added ?? 0, changed: row?.changed ?? 0, deleted: row?.deleted ?? 0 };
}

export const dropDelta = ({ session }: End): Promise<void> =>
  session.exec('drop table if exists pg_temp.plinth_delta');

const placesPerBatch = 5_000;

/** Yields the positions of the source's rows that are new or changed. */
export async function* sourcePlaces({ session }: End): AsyncGenerator<string[]> {
  for (let offset = '(0,0)'; ; ) {
    const rows = await session.query<{ place: string }>(sql`
      select source::text as place from pg_temp.plinth_delta where source > ${offset}::tid
      order by source limit ${placesPerBatch}::int`);
    if (rows.length === 0) return;
    yield rows.map(({ place }) => place);
    offset = rows.at(-1)?.place as string;
  }
}
