/** Defines the reports about current statements, locks and connections. */
import { sql } from '../../../base/kernel/sql.ts';
import type { ReportDefinition } from './types.ts';

const maxRows = 25;
const oneLine = (column: string) =>
  sql.raw(`pg_catalog.left(pg_catalog.regexp_replace(${column}, '\\s+', ' ', 'g'), 1000)`);

const statementColumns = [
  { field: 'total_ms', label: 'Total', kind: 'ms' },
  { field: 'share', label: 'Share', kind: 'share' },
  { field: 'calls', label: 'Calls', kind: 'count' },
  { field: 'mean_ms', label: 'Mean', kind: 'ms' },
  { field: 'max_ms', label: 'Max', kind: 'ms' },
  { field: 'rows', label: 'Rows', kind: 'count' },
  { field: 'cache_hits', label: 'Cache hits', kind: 'share' },
  { field: 'role', label: 'Role', kind: 'text' },
  { field: 'query', label: 'Query', kind: 'text' },
] as const;

/** Returns a query for the statements with the highest values in `order`, which is a column of pg_stat_statements. */
const statements = (order: 'total_exec_time' | 'calls') => sql`
  select s.total_exec_time as total_ms,
    s.total_exec_time / nullif(pg_catalog.sum(s.total_exec_time) over (), 0) as share,
    s.calls::float8 as calls, s.mean_exec_time as mean_ms, s.max_exec_time as max_ms, s.rows::float8 as rows,
    s.shared_blks_hit::float8 / nullif(s.shared_blks_hit + s.shared_blks_read, 0) as cache_hits,
    pg_catalog.pg_get_userbyid(s.userid)::text as role, ${oneLine('s.query')} as query
  from extensions.pg_stat_statements s
  where s.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
  order by ${sql.raw(`s.${order}`)} desc limit ${maxRows}`;

export const slow: ReportDefinition = {
  about: 'the statements that took the most time in total',
  columns: statementColumns,
  query: statements('total_exec_time'),
  needs: 'pg_stat_statements',
};

export const calls: ReportDefinition = {
  about: 'the statements that were called most often',
  columns: statementColumns,
  query: statements('calls'),
  needs: 'pg_stat_statements',
};

export const running: ReportDefinition = {
  about: 'the statements and transactions that have been running for the longest time',
  columns: [
    { field: 'pid', label: 'PID', kind: 'text' },
    { field: 'role', label: 'Role', kind: 'text' },
    { field: 'state', label: 'State', kind: 'text' },
    { field: 'statement_ms', label: 'Statement', kind: 'ms' },
    { field: 'transaction_ms', label: 'Transaction', kind: 'ms' },
    { field: 'waits_for', label: 'Waits for', kind: 'text' },
    { field: 'query', label: 'Query', kind: 'text' },
  ],
  query: sql`
    select a.pid::text as pid, a.usename::text as role, a.state::text as state,
      case when a.state = 'active' then extract(epoch from pg_catalog.clock_timestamp() - a.query_start)::float8 * 1000 end
        as statement_ms,
      extract(epoch from pg_catalog.clock_timestamp() - a.xact_start)::float8 * 1000 as transaction_ms,
      a.wait_event_type || ':' || a.wait_event as waits_for, ${oneLine('a.query')} as query
    from pg_catalog.pg_stat_activity a
    where a.datname = pg_catalog.current_database() and a.xact_start is not null
      and a.pid <> pg_catalog.pg_backend_pid() and a.backend_type = 'client backend'
    order by a.xact_start limit ${maxRows}`,
};

export const locks: ReportDefinition = {
  about: 'the statements that wait for a lock, and the statements that hold it',
  columns: [
    { field: 'waiting_pid', label: 'Waiting', kind: 'text' },
    { field: 'waited_ms', label: 'For', kind: 'ms' },
    { field: 'object', label: 'Object', kind: 'text' },
    { field: 'mode', label: 'Mode', kind: 'text' },
    { field: 'waiting_query', label: 'Waiting query', kind: 'text' },
    { field: 'holding_pid', label: 'Holder', kind: 'text' },
    { field: 'holding_state', label: 'State', kind: 'text' },
    { field: 'holding_query', label: 'Query of the holder', kind: 'text' },
  ],
  query: sql`
    select w.pid::text as waiting_pid,
      extract(epoch from pg_catalog.clock_timestamp() - coalesce(l.waitstart, w.query_start))::float8 * 1000 as waited_ms,
      coalesce(l.relation::pg_catalog.regclass::text, l.locktype) as object, l.mode as mode,
      ${oneLine('w.query')} as waiting_query, h.pid::text as holding_pid, h.state::text as holding_state,
      ${oneLine('h.query')} as holding_query
    from pg_catalog.pg_stat_activity w
    join pg_catalog.pg_locks l on l.pid = w.pid and not l.granted
    cross join lateral pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) as b (pid)
    left join pg_catalog.pg_stat_activity h on h.pid = b.pid
    where w.datname = pg_catalog.current_database()
    order by waited_ms desc limit ${maxRows}`,
};

export const connections: ReportDefinition = {
  about: 'the connections per role and program',
  columns: [
    { field: 'role', label: 'Role', kind: 'text' },
    { field: 'program', label: 'Program', kind: 'text' },
    { field: 'total', label: 'Total', kind: 'count' },
    { field: 'active', label: 'Active', kind: 'count' },
    { field: 'in_transaction', label: 'Idle in transaction', kind: 'count' },
    { field: 'oldest_ms', label: 'Oldest', kind: 'ms' },
    { field: 'share', label: 'Share of max_connections', kind: 'share' },
  ],
  query: sql`
    select coalesce(a.usename::text, a.backend_type) as role, a.application_name as program,
      pg_catalog.count(*)::float8 as total,
      (pg_catalog.count(*) filter (where a.state = 'active'))::float8 as active,
      (pg_catalog.count(*) filter (where a.state like 'idle in transaction%'))::float8 as in_transaction,
      extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.min(a.backend_start))::float8 * 1000 as oldest_ms,
      pg_catalog.count(*)::float8 / pg_catalog.current_setting('max_connections')::int as share
    from pg_catalog.pg_stat_activity a
    where a.backend_type in ('client backend', 'walsender')
    group by 1, 2 order by total desc, 1, 2`,
};

export const replication: ReportDefinition = {
  about: 'the replication slots, and the WAL that each retains',
  columns: [
    { field: 'slot', label: 'Slot', kind: 'text' },
    { field: 'type', label: 'Type', kind: 'text' },
    { field: 'active', label: 'Active', kind: 'text' },
    { field: 'retained_bytes', label: 'Retained WAL', kind: 'bytes' },
    { field: 'wal_status', label: 'WAL', kind: 'text' },
  ],
  query: sql`
    select s.slot_name::text as slot, s.slot_type as type, s.active as active,
      pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), s.restart_lsn)::float8 as retained_bytes,
      s.wal_status as wal_status
    from pg_catalog.pg_replication_slots s order by retained_bytes desc nulls last`,
};
