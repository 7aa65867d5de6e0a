/**
 * Defines queries that many operators need. `console-sql-library.ts` contains the names and explanations of these
 * queries. Read-only operators see only the templates that they can run.
 */
import type { Permission } from '../../api/types.ts';

export interface Template {
  readonly id: TemplateId;
  readonly group: TemplateGroup;
  readonly needs: Permission;
  readonly text: string;
}

export const templateGroups = ['tables', 'speed', 'security', 'users', 'services'] as const;
export type TemplateGroup = (typeof templateGroups)[number];

const list = {
  'table-sizes': [
    'tables',
    'read',
    `select n.nspname as schema, c.relname as name, pg_total_relation_size(c.oid) as total_bytes,
  pg_table_size(c.oid) as table_bytes, pg_indexes_size(c.oid) as index_bytes,
  greatest(c.reltuples, 0)::bigint as estimated_rows
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'm', 'p') and n.nspname !~ '^(pg_|information_schema|_plinth)'
order by total_bytes desc
limit 50`,
  ],
  'missing-primary-keys': [
    'tables',
    'read',
    `select n.nspname as schema, c.relname as name
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema|_plinth)'
  and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
order by 1, 2`,
  ],
  'unindexed-foreign-keys': [
    'tables',
    'read',
    `select n.nspname as schema, c.relname as name, k.conname as foreign_key
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_namespace n on n.oid = c.relnamespace
where k.contype = 'f' and n.nspname !~ '^(pg_|information_schema|_plinth)'
  and not exists (
    select from pg_index i
    where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1]
  )
order by 1, 2, 3`,
  ],
  'dead-rows': [
    'tables',
    'read',
    `select schemaname as schema, relname as name, n_live_tup as live_rows, n_dead_tup as dead_rows,
  last_vacuum, last_autovacuum, last_analyze, last_autoanalyze
from pg_stat_user_tables
order by n_dead_tup desc
limit 50`,
  ],
  'columns-by-name': [
    'tables',
    'read',
    `select table_schema as schema, table_name as name, column_name, data_type
from information_schema.columns
where column_name like '%' || lower(:part) || '%' and table_schema not in ('pg_catalog', 'information_schema')
order by 1, 2, 3`,
  ],
  'slow-statements': [
    'speed',
    'secrets',
    `select left(query, 200) as statement, calls, round(total_exec_time::numeric, 1) as total_ms,
  round(mean_exec_time::numeric, 2) as mean_ms, round(max_exec_time::numeric, 1) as max_ms, rows
from extensions.pg_stat_statements
order by total_exec_time desc
limit 30`,
  ],
  'unused-indexes': [
    'speed',
    'read',
    `select s.schemaname as schema, s.relname as table_name, s.indexrelname as index_name, s.idx_scan as scans,
  pg_relation_size(s.indexrelid) as bytes
from pg_stat_user_indexes s
join pg_index i on i.indexrelid = s.indexrelid
where s.idx_scan = 0 and not i.indisunique
order by bytes desc`,
  ],
  'sequential-scans': [
    'speed',
    'read',
    `select schemaname as schema, relname as name, seq_scan as scans, seq_tup_read as rows_read, idx_scan as index_scans
from pg_stat_user_tables
where seq_scan > 0
order by seq_tup_read desc
limit 30`,
  ],
  'cache-hits': [
    'speed',
    'secrets',
    `select datname as database, blks_hit as from_cache, blks_read as from_disk,
  round(100.0 * blks_hit / nullif(blks_hit + blks_read, 0), 2) as hit_percent
from pg_stat_database
where datname = current_database()`,
  ],
  'running-statements': [
    'speed',
    'secrets',
    `select pid, usename as role, state, now() - query_start as duration, wait_event_type, left(query, 200) as statement
from pg_stat_activity
where state <> 'idle' and pid <> pg_backend_pid()
order by query_start`,
  ],
  locks: [
    'speed',
    'secrets',
    `select blocked.pid as blocked_pid, left(blocked.query, 120) as blocked_statement,
  blocking.pid as blocking_pid, left(blocking.query, 120) as blocking_statement,
  now() - blocked.query_start as waiting
from pg_stat_activity blocked
cross join unnest(pg_blocking_pids(blocked.pid)) as b(pid)
join pg_stat_activity blocking on blocking.pid = b.pid
order by waiting desc`,
  ],
  'rls-overview': [
    'security',
    'read',
    `select n.nspname as schema, c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as forced,
  count(p.polname) as policies
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
left join pg_policy p on p.polrelid = c.oid
where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema|_plinth)'
group by 1, 2, 3, 4
order by c.relrowsecurity, 1, 2`,
  ],
  policies: [
    'security',
    'read',
    `select schemaname as schema, tablename as table_name, policyname as policy, cmd as operation, roles, qual as using,
  with_check
from pg_policies
order by 1, 2, 3`,
  ],
  'public-grants': [
    'security',
    'secrets',
    `select table_schema as schema, table_name, grantee, string_agg(privilege_type, ', ' order by privilege_type) as privileges
from information_schema.role_table_grants
where grantee in ('anon', 'authenticated', 'PUBLIC') and table_schema = 'public'
group by 1, 2, 3
order by 1, 2, 3`,
  ],
  'definer-functions': [
    'security',
    'secrets',
    `select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
  p.proconfig as settings
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where p.prosecdef and n.nspname = 'public'
order by 1, 2`,
  ],
  'new-users': [
    'users',
    'secrets',
    `select date_trunc('day', created_at)::date as day, count(*) as new_users
from auth.users
where created_at > now() - interval '30 days'
group by 1
order by 1`,
  ],
  'active-users': [
    'users',
    'secrets',
    `select date_trunc('day', last_sign_in_at)::date as day, count(*) as users
from auth.users
where last_sign_in_at > now() - interval '30 days'
group by 1
order by 1`,
  ],
  'unconfirmed-users': [
    'users',
    'secrets',
    `select id, email, phone, created_at, invited_at
from auth.users
where email_confirmed_at is null and phone_confirmed_at is null and not is_anonymous
order by created_at desc
limit 100`,
  ],
  'sign-in-methods': [
    'users',
    'secrets',
    `select provider, count(*) as identities, max(last_sign_in_at) as last_sign_in
from auth.identities
group by 1
order by 2 desc`,
  ],
  'storage-by-bucket': [
    'services',
    'read',
    `select bucket_id as bucket, count(*) as files, sum((metadata->>'size')::bigint) as bytes, max(updated_at) as last_change
from storage.objects
group by 1
order by 3 desc nulls last`,
  ],
  'largest-files': [
    'services',
    'read',
    `select bucket_id as bucket, name, (metadata->>'size')::bigint as bytes, created_at
from storage.objects
order by bytes desc nulls last
limit 50`,
  ],
  'cron-runs': [
    'services',
    'secrets',
    `select j.jobname as job, d.status, d.start_time, d.end_time - d.start_time as duration, d.return_message
from cron.job_run_details d
join cron.job j on j.jobid = d.jobid
order by d.runid desc
limit 100`,
  ],
} as const satisfies Record<string, readonly [TemplateGroup, Permission, string]>;

export type TemplateId = keyof typeof list;

export const templates: readonly Template[] = Object.entries(list).map(([id, [group, needs, text]]) => ({
  id: id as TemplateId,
  group,
  needs,
  text,
}));
