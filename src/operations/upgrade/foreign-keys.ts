/**
 * Marks foreign keys as validated. The old cluster has enforced the foreign keys, and the comparison of both clusters
 * proves that the rows are equal. The superuser's VALIDATE CONSTRAINT would plan a query, which would evaluate the
 * project's index predicates as the superuser.
 */

import { quoteLiteral, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

export async function validateForeignKeys(source: CopySession, target: CopySession): Promise<void> {
  const kept = await source.query<{ name: string; table: string }>(sql`
    select conname::text as name, conrelid::regclass::text as table from pg_constraint
    where contype = 'f' and not convalidated`);
  const enforced = target.serverVersion >= 180_000 ? 'and k.conenforced' : '';
  await target.exec(`begin; set local allow_system_table_mods = on;
    update pg_catalog.pg_constraint k set convalidated = true
      where k.contype = 'f' and not k.convalidated ${enforced} and not exists (
        select from jsonb_to_recordset(${quoteLiteral(JSON.stringify(kept))}::jsonb) as s (name name, "table" text)
        where s.name = k.conname and s."table"::pg_catalog.regclass = k.conrelid);
    commit`);
}
