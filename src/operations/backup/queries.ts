/** SQL statements for backups. */

import { sql } from '../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';

/**
 * Returns the versions of all objects. Reads the table as `supabase_storage_admin` and not as a superuser, because
 * `postgres` can add indexes to the table, and PostgreSQL evaluates an index's expressions as the role that reads the
 * table. The query fails if a policy would hide rows from `supabase_storage_admin`.
 */
export async function listVersions(database: Database): Promise<string[]> {
  const [rows] = await database
    .pool('supabase_storage_admin')
    .statements([sql`select version from storage.objects where version is not null`], {
      settings: [['row_security', 'off']],
    });
  return (rows as { version: string }[]).map(({ version }) => version);
}

export interface WalPosition {
  readonly timeMs: number;
  readonly lsn: string;
}

/**
 * Returns the current time and WAL position. The time is read first, so the position is after all commits that were
 * acknowledged before that time.
 */
export async function currentPosition(db: Queryable): Promise<WalPosition> {
  const [row] = await db.query<{ time: number; lsn: string }>(sql`
    with clock as materialized (select extract(epoch from pg_catalog.clock_timestamp())::float8 * 1000 as time)
    select clock.time, pg_catalog.pg_current_wal_flush_lsn()::text as lsn from clock`);
  return { timeMs: Math.floor(row?.time ?? 0), lsn: row?.lsn ?? '0/0' };
}

export interface SlotState {
  /** `lost` if PostgreSQL has removed WAL that the slot needs. */
  readonly status: string | null;
  readonly restartLsn: string | null;
}

export async function findSlot(db: Queryable, name: string): Promise<SlotState | undefined> {
  const [row] = await db.query<{ status: string | null; restart: string | null }>(sql`
    select wal_status as status, restart_lsn::text as restart
    from pg_catalog.pg_replication_slots where slot_name = ${name}`);
  return row && { status: row.status, restartLsn: row.restart };
}

/** Returns the identifier that initdb assigned to the cluster. Restored copies have the same identifier. */
export async function systemIdentifier(db: Queryable): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    sql`select system_identifier::text as id from pg_catalog.pg_control_system()`,
  );
  return row?.id ?? '';
}
