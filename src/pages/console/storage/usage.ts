/**
 * Counts the files in each bucket and adds up their sizes. Reading every row of a large table would take too long, so a
 * sample is used.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { StorageUsage } from './contract.ts';

/**
 * The maximum total number of files for which the usage is always exact. With more files, the usage is estimated until
 * the operator requests exact numbers.
 */
const maxCountedFiles = 100_000;
const sampledFiles = 20_000;
const timeoutMs = 60_000;

export async function measureUsage(db: Pool, isExact: boolean): Promise<StorageUsage> {
  return db.transaction(
    async (tx) => {
      const [table] = await tx.query<{ rows: number }>(
        sql`select reltuples::int8 as rows from pg_catalog.pg_class where oid = 'storage.objects'::regclass`,
      );
      const total = table?.rows ?? 0;
      const isSampled = !isExact && total > maxCountedFiles;
      const percent = isSampled ? (sampledFiles / total) * 100 : 100;
      const source = isSampled
        ? sql`storage.objects tablesample system (${percent}::float4)`
        : sql`storage.objects`;
      const buckets = await tx.query<{ bucket: string; files: number; bytes: number }>(sql`
        select bucket_id as bucket, (count(*) * 100 / ${percent}::float8)::int8 as files,
               (coalesce(sum(case when metadata ->> 'size' ~ '^[0-9]{1,15}$' then (metadata ->> 'size')::float8 end), 0)
                * 100 / ${percent}::float8)::int8 as bytes
        from ${source} group by bucket_id order by bucket_id`);
      return { buckets, isEstimate: isSampled };
    },
    { readOnly: true, settings: [['statement_timeout', String(timeoutMs)]] },
  );
}
