/** Reads PostgreSQL's statistics for `/metrics`. The queries read only catalogs and statistics, with short timeouts. */
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import { sql } from '../../base/kernel/sql.ts';
import type { Pool, StatementsOptions } from './types.ts';

const options: StatementsOptions = {
  readOnly: true,
  settings: [
    ['statement_timeout', '1s'],
    ['lock_timeout', '100ms'],
  ],
};

interface ServerRow {
  readonly longest: number | null;
  readonly lockWaits: number;
  readonly maxConnections: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly temporaryBytes: number;
  readonly hits: number;
  readonly reads: number;
  readonly resetAt: number | null;
  readonly xidAge: number;
  readonly walBytes: number | null;
  readonly archiveFailed: number;
  readonly archivedAt: number | null;
}

interface SlotRow {
  readonly slot: string;
  readonly active: boolean;
  readonly retainedBytes: number | null;
  readonly inactiveSeconds: number | null;
}

const server = sql`
  select
    (select extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.min(a.xact_start))::float8
      from pg_catalog.pg_stat_activity a
      where a.backend_type = 'client backend' and a.pid <> pg_catalog.pg_backend_pid()) as longest,
    (select pg_catalog.count(*)::int from pg_catalog.pg_stat_activity a where a.wait_event_type = 'Lock') as "lockWaits",
    pg_catalog.current_setting('max_connections')::int as "maxConnections",
    d.xact_commit::float8 as commits, d.xact_rollback::float8 as rollbacks, d.deadlocks::float8 as deadlocks,
    d.temp_bytes::float8 as "temporaryBytes", d.blks_hit::float8 as hits, d.blks_read::float8 as reads,
    extract(epoch from d.stats_reset)::float8 as "resetAt",
    (select pg_catalog.max(pg_catalog.age(b.datfrozenxid))::float8 from pg_catalog.pg_database b) as "xidAge",
    case when not pg_catalog.pg_is_in_recovery()
      then pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0')::float8 end as "walBytes",
    w.failed_count::float8 as "archiveFailed", extract(epoch from w.last_archived_time)::float8 as "archivedAt"
  from pg_catalog.pg_stat_database d, pg_catalog.pg_stat_archiver w
  where d.datname = pg_catalog.current_database()`;

const connections = sql`
  select coalesce(a.state, 'other') as state, pg_catalog.count(*)::int as count
  from pg_catalog.pg_stat_activity a where a.backend_type in ('client backend', 'walsender') group by 1`;

/** PostgreSQL 16 and older don't have the column `inactive_since`. */
const slots = sql`
  select s.slot_name::text as slot, s.active,
    case when not pg_catalog.pg_is_in_recovery() then
      pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), s.restart_lsn)::float8 end as "retainedBytes",
    extract(epoch from pg_catalog.clock_timestamp() -
      (pg_catalog.to_jsonb(s) ->> 'inactive_since')::timestamptz)::float8 as "inactiveSeconds"
  from pg_catalog.pg_replication_slots s`;

/** Returns the statistics for `/metrics`. @throws {PostgresErrorShape} */
export async function readStatistics(pool: Pool): Promise<MetricValues> {
  const [[first], states, slotRows] = (await pool.statements([server, connections, slots], options)) as [
    readonly [ServerRow],
    readonly { readonly state: string; readonly count: number }[],
    readonly SlotRow[],
  ];
  return {
    plinth_database_connections: states.map(({ state, count }): Sample => [[state], count]),
    plinth_database_connections_limit: first.maxConnections,
    plinth_database_lock_waits: first.lockWaits,
    plinth_database_longest_transaction_seconds: first.longest ?? 0,
    plinth_database_transactions_total: [
      [['committed'], first.commits],
      [['rolled_back'], first.rollbacks],
    ],
    plinth_database_deadlocks_total: first.deadlocks,
    plinth_database_temporary_bytes_total: first.temporaryBytes,
    plinth_database_blocks_total: [
      [['cache'], first.hits],
      [['disk'], first.reads],
    ],
    plinth_database_statistics_reset_timestamp_seconds: first.resetAt ?? undefined,
    plinth_database_transaction_id_age: first.xidAge,
    plinth_wal_written_bytes_total: first.walBytes ?? undefined,
    plinth_wal_archive_failed_total: first.archiveFailed,
    plinth_wal_archive_last_success_timestamp_seconds: first.archivedAt ?? undefined,
    ...slotValues(slotRows),
  };
}

function slotValues(rows: readonly SlotRow[]): MetricValues {
  const samples = (read: (row: SlotRow) => number | null): Sample[] =>
    rows.flatMap((row): Sample[] => {
      const value = read(row);
      return value === null ? [] : [[[row.slot], value]];
    });
  return {
    plinth_replication_slot_retained_bytes: samples(({ retainedBytes }) => retainedBytes),
    plinth_replication_slot_active: samples(({ active }) => Number(active)),
    plinth_replication_slot_inactive_seconds: samples(({ inactiveSeconds }) => inactiveSeconds),
  };
}

/**
 * Returns the sizes of the databases. In large databases, this function is slower than {@link readStatistics}, because
 * PostgreSQL reads the sizes from the file system.
 * @throws {PostgresErrorShape}
 */
export async function readSizes(pool: Pool): Promise<MetricValues> {
  const [[size]] = (await pool.statements(
    [
      sql`select pg_catalog.pg_database_size(pg_catalog.current_database())::float8 as database,
        (select pg_catalog.sum(f.size)::float8 from pg_catalog.pg_ls_waldir() f) as wal`,
    ],
    options,
  )) as [readonly [{ readonly database: number; readonly wal: number }]];
  return { plinth_database_size_bytes: size.database, plinth_wal_size_bytes: size.wal };
}
