/**
 * Moves the rows of Plinth's guard (src/platform/database/sql/0001_guards.sql), which identify tables, columns and
 * owners by number. The numbers differ in a new cluster, so this module looks up the new numbers by name.
 */

import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

export const movedGuard = '_plinth.guarded';

interface GuardedRow {
  readonly schema: string;
  readonly table: string;
  readonly column: string | null;
  readonly owner: string;
}

/** Moves the guard's rows. Does nothing if the database doesn't have a guard. */
export async function moveGuard(source: CopySession, target: CopySession): Promise<void> {
  const [found] = await source.query<{ exists: boolean }>(
    sql`select to_regclass('_plinth.guarded') is not null as exists`,
  );
  if (found?.exists !== true) return;
  const rows = await source.query<GuardedRow>(sql`
    select n.nspname::text as schema, c.relname::text as table, a.attname::text as column, pg_get_userbyid(g.owner)::text as owner
    from _plinth.guarded g join pg_class c on c.oid = g.relid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = g.relid and a.attnum = g.attnum and g.attnum > 0
    where g.attnum = 0 or not a.attisdropped`);
  await target.query(sql`
    insert into _plinth.guarded (relid, attnum, name, schema, owner)
    select c.oid, coalesce(a.attnum, 0), coalesce(a.attname, c.relname), n.nspname, r.oid
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (schema name, "table" name, "column" name, owner name)
    join pg_namespace n on n.nspname = g.schema
    join pg_class c on c.relnamespace = n.oid and c.relname = g."table"
    join pg_roles r on r.rolname = g.owner
    left join pg_attribute a on a.attrelid = c.oid and a.attname = g."column"
    where g."column" is null or a.attnum is not null`);
}
