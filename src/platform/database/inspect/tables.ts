/** Defines the reports about the sizes, bloat, usage and cache hits of tables and indexes. */
import { sql } from '../../../base/kernel/sql.ts';
import type { ReportDefinition } from './types.ts';

const maxRows = 50;

const tableName = sql.raw(`pg_catalog.format('%s.%s', n.nspname, c.relname)`);

export const sizes: ReportDefinition = {
  about: 'the largest tables',
  columns: [
    { field: 'table', label: 'Table', kind: 'text' },
    { field: 'total_bytes', label: 'Total', kind: 'bytes' },
    { field: 'table_bytes', label: 'Table', kind: 'bytes' },
    { field: 'index_bytes', label: 'Indexes', kind: 'bytes' },
    { field: 'toast_bytes', label: 'TOAST', kind: 'bytes' },
    { field: 'rows', label: 'Rows (estimate)', kind: 'count' },
    { field: 'sequential_scans', label: 'Sequential scans', kind: 'count' },
    { field: 'index_scans', label: 'Index scans', kind: 'count' },
  ],
  query: sql`
    select ${tableName} as table, pg_catalog.pg_total_relation_size(c.oid)::float8 as total_bytes,
      pg_catalog.pg_relation_size(c.oid)::float8 as table_bytes, pg_catalog.pg_indexes_size(c.oid)::float8 as index_bytes,
      coalesce(pg_catalog.pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)::float8 as toast_bytes,
      greatest(c.reltuples, 0)::float8 as rows, s.seq_scan::float8 as sequential_scans, s.idx_scan::float8 as index_scans
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_stat_all_tables s on s.relid = c.oid
    where c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by total_bytes desc, 1 limit ${maxRows}`,
};

/**
 * Estimates bloat from the average width of each column, which PostgreSQL's statistics contain. A row also has a header
 * of 24 bytes and a line pointer of 4 bytes, and a page has a header of 24 bytes.
 */
export const bloat: ReportDefinition = {
  about: 'tables with dead rows and space that VACUUM has not returned (estimates)',
  columns: [
    { field: 'table', label: 'Table', kind: 'text' },
    { field: 'bloat_bytes', label: 'Unused space', kind: 'bytes' },
    { field: 'bloat', label: 'Share', kind: 'share' },
    { field: 'dead_rows', label: 'Dead rows', kind: 'count' },
    { field: 'live_rows', label: 'Live rows', kind: 'count' },
    { field: 'vacuumed_at', label: 'Last vacuum', kind: 'text' },
    { field: 'transactions_left', label: 'Transactions until wraparound', kind: 'count' },
  ],
  query: sql`
    with width as (
      select s.schemaname, s.tablename, pg_catalog.sum(s.avg_width * (1 - s.null_frac)) as bytes
      from pg_catalog.pg_stats s where not s.inherited group by 1, 2
    ), estimate as (
      select c.oid, n.nspname, c.relname, c.relpages, c.relfrozenxid,
        pg_catalog.ceil(c.reltuples * (w.bytes + 28) / (pg_catalog.current_setting('block_size')::int - 24)) as needed
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join width w on w.schemaname = n.nspname and w.tablename = c.relname
      where c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    )
    select pg_catalog.format('%s.%s', e.nspname, e.relname) as table,
      (greatest(e.relpages - e.needed, 0) * pg_catalog.current_setting('block_size')::int)::float8 as bloat_bytes,
      (greatest(e.relpages - e.needed, 0) / nullif(e.relpages, 0))::float8 as bloat,
      s.n_dead_tup::float8 as dead_rows, s.n_live_tup::float8 as live_rows,
      pg_catalog.to_char(greatest(s.last_vacuum, s.last_autovacuum) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        as vacuumed_at,
      (2147483648 - pg_catalog.age(e.relfrozenxid))::float8 as transactions_left
    from estimate e left join pg_catalog.pg_stat_all_tables s on s.relid = e.oid
    order by bloat_bytes desc nulls last, dead_rows desc nulls last, 1 limit ${maxRows}`,
};

export const indexes: ReportDefinition = {
  about: 'indexes that are invalid, unused, or equal to another index',
  columns: [
    { field: 'index', label: 'Index', kind: 'text' },
    { field: 'table', label: 'Table', kind: 'text' },
    { field: 'size_bytes', label: 'Size', kind: 'bytes' },
    { field: 'scans', label: 'Scans', kind: 'count' },
    { field: 'finding', label: 'Finding', kind: 'text' },
  ],
  query: sql`
    with index as (
      select i.indexrelid, i.indrelid, i.indisvalid, i.indisunique, i.indisprimary, n.nspname, x.relname,
        coalesce(s.idx_scan, 0) as scans,
        pg_catalog.row_number() over (
          partition by i.indrelid, x.relam, i.indkey::text, i.indclass::text, i.indcollation::text, i.indoption::text,
            pg_catalog.pg_get_expr(i.indexprs, i.indrelid), pg_catalog.pg_get_expr(i.indpred, i.indrelid)
          order by i.indisprimary desc, i.indisunique desc, i.indexrelid
        ) as copy
      from pg_catalog.pg_index i
      join pg_catalog.pg_class x on x.oid = i.indexrelid
      join pg_catalog.pg_namespace n on n.oid = x.relnamespace
      left join pg_catalog.pg_stat_all_indexes s on s.indexrelid = i.indexrelid
      where n.nspname !~ '^(pg_|_)' and n.nspname not in
        ('information_schema', 'auth', 'cron', 'net', 'pgmq', 'realtime', 'storage', 'supabase_functions', 'vault')
    ), found as (
      select i.*, case
        when not i.indisvalid then 'invalid: reindex or drop it'
        when i.copy > 1 then 'duplicate'
        when i.scans = 0 and not i.indisunique then 'unused since the statistics were reset'
      end as finding
      from index i
    )
    select pg_catalog.format('%s.%s', f.nspname, f.relname) as index, f.indrelid::pg_catalog.regclass::text as table,
      pg_catalog.pg_relation_size(f.indexrelid)::float8 as size_bytes, f.scans::float8 as scans, f.finding as finding
    from found f where f.finding is not null order by size_bytes desc, 1 limit ${maxRows}`,
};

export const cache: ReportDefinition = {
  about: 'how often tables and indexes were read from the cache instead of the disk',
  columns: [
    { field: 'table', label: 'Table', kind: 'text' },
    { field: 'table_hits', label: 'Table hits', kind: 'share' },
    { field: 'index_hits', label: 'Index hits', kind: 'share' },
    { field: 'disk_reads', label: 'Blocks from disk', kind: 'count' },
  ],
  query: sql`
    with io as (
      select pg_catalog.format('%s.%s', s.schemaname, s.relname) as name, s.heap_blks_hit, s.heap_blks_read,
        coalesce(s.idx_blks_hit, 0) as idx_blks_hit, coalesce(s.idx_blks_read, 0) as idx_blks_read
      from pg_catalog.pg_statio_user_tables s
      union all
      select '(all)', pg_catalog.sum(s.heap_blks_hit), pg_catalog.sum(s.heap_blks_read),
        pg_catalog.sum(coalesce(s.idx_blks_hit, 0)), pg_catalog.sum(coalesce(s.idx_blks_read, 0))
      from pg_catalog.pg_statio_user_tables s
    )
    select io.name as table, io.heap_blks_hit::float8 / nullif(io.heap_blks_hit + io.heap_blks_read, 0) as table_hits,
      io.idx_blks_hit::float8 / nullif(io.idx_blks_hit + io.idx_blks_read, 0) as index_hits,
      (io.heap_blks_read + io.idx_blks_read)::float8 as disk_reads
    from io where io.heap_blks_hit + io.heap_blks_read > 0 or io.name = '(all)'
    order by io.name = '(all)' desc, disk_reads desc, 1 limit ${maxRows}`,
};
