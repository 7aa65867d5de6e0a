/**
 * Defines all metrics of `/metrics`. docs/metrics.md is generated from this list, and the alert rules and the dashboard
 * in `deploy/` are checked against it. The names follow Prometheus's conventions, with base units and the suffix
 * `_total` for counters.
 */
import type { MetricDefinition, Samples } from './values.ts';

const counter = (help: string, labels: readonly string[] = []): MetricDefinition => ({
  type: 'counter',
  help,
  labels,
  merge: 'sum',
});
/** Defines a per-process gauge. The values of several processes are summed unless `merge` specifies another method. */
const gauge = (
  help: string,
  labels: readonly string[] = [],
  merge: MetricDefinition['merge'] = 'sum',
): MetricDefinition => ({ type: 'gauge', help, labels, merge });
/** Defines a gauge that every process reads from the same source, such as the database or the disk. */
const shared = (help: string, labels: readonly string[] = []): MetricDefinition => gauge(help, labels, 'max');
/** Defines a counter that every process reads from the database. */
const sharedCounter = (help: string, labels: readonly string[] = []): MetricDefinition => ({
  type: 'counter',
  help,
  labels,
  merge: 'max',
});
const histogram = (help: string, labels: readonly string[] = []): MetricDefinition => ({
  type: 'histogram',
  help,
  labels,
  merge: 'sum',
});

const requests = {
  plinth_requests_total: counter('Completed requests.', ['service', 'status']),
  plinth_request_duration_seconds: histogram(
    'Time from the first byte of a request to the last byte of its response.',
    ['service', 'route', 'method', 'status_class'],
  ),
  plinth_requests_in_flight: gauge("Requests whose responses aren't complete yet.", ['listener']),
  plinth_connections_open: gauge('Open client connections, including WebSockets.', ['listener']),
  plinth_connections_limit: gauge('Maximum number of client connections.', ['listener']),
  plinth_connections_rejected_total: counter('Requests and connections rejected by a connection limit.', [
    'listener',
    'reason',
  ]),
  plinth_websockets_open: gauge('Open WebSockets.', ['listener']),
} as const;

const processes = {
  nodejs_version_info: shared('The version of Node.js. The value of this metric is always 1.', ['version']),
  process_start_time_seconds: gauge('Start time of the process, in seconds since the epoch.', [], 'min'),
  process_cpu_seconds_total: counter('CPU time of the process.'),
  process_resident_memory_bytes: gauge('Resident memory.'),
  process_open_fds: gauge('Open file descriptors.'),
  process_max_fds: gauge('Maximum number of open file descriptors.', [], 'min'),
  nodejs_heap_size_used_bytes: gauge('Memory used by the JavaScript heap.'),
  nodejs_heap_size_total_bytes: gauge('Size of the JavaScript heap.'),
  nodejs_heap_size_limit_bytes: gauge('Maximum size of the JavaScript heap.'),
  nodejs_external_memory_bytes: gauge('Memory used by buffers outside the heap.'),
  nodejs_eventloop_lag_p50_seconds: gauge('Median event loop lag since the last scrape.', [], 'max'),
  nodejs_eventloop_lag_p99_seconds: gauge(
    '99th percentile of the event loop lag since the last scrape.',
    [],
    'max',
  ),
  nodejs_eventloop_lag_max_seconds: gauge('Highest event loop lag since the last scrape.', [], 'max'),
  nodejs_gc_duration_seconds: histogram('Duration of garbage collections.', ['kind']),
  plinth_memory_limit_bytes: shared(
    "The container's memory limit, or the machine's memory if the container isn't limited.",
  ),
} as const;

const workers = {
  plinth_worker_ready: gauge('Whether the API worker is ready.', ['worker']),
  plinth_worker_connections: gauge('Open client connections to the API worker.', ['worker']),
  plinth_worker_crashes_total: counter('API workers that exited unexpectedly.'),
} as const;

const pools = {
  plinth_replica_ready: gauge('Whether reads use the replica (1) or not (0).', ['replica']),
  plinth_replica_lag_seconds: gauge('Lag of a read replica. Omitted while the replica is unreachable.', [
    'replica',
  ]),
  plinth_pool_connections_limit: gauge('Maximum number of database connections.', ['pool']),
  plinth_pool_connections_open: gauge('Open database connections.', ['pool']),
  plinth_pool_connections_busy: gauge('Database connections that are processing a request.', ['pool']),
  plinth_pool_waiting: gauge('Requests that are waiting for a database connection.', ['pool']),
  plinth_pool_waited_total: counter('Requests that have had to wait for a database connection.', ['pool']),
  plinth_pool_waited_seconds_total: counter(
    'Total time that requests have waited for a database connection.',
    ['pool'],
  ),
  plinth_pool_rejected_total: counter(
    'Requests rejected because too many requests were waiting for a database connection.',
    ['pool'],
  ),
  plinth_pool_timeouts_total: counter(
    'Requests that waited until the time limit without receiving a database connection.',
    ['pool'],
  ),
} as const;

const queues = {
  plinth_queue_waiting: gauge('Requests that are waiting in a queue.', ['queue']),
  plinth_queue_waited_total: counter('Requests that have waited in a queue and then started.', ['queue']),
  plinth_queue_waited_seconds_total: counter('Total time that started requests have waited in a queue.', [
    'queue',
  ]),
  plinth_queue_rejected_total: counter('Requests rejected because they would have waited for too long.', [
    'queue',
  ]),
  plinth_gateway_expected_wait_seconds: gauge('Expected wait of a request before it starts.', [], 'max'),
  plinth_gateway_rejected_total: counter('Requests rejected with 503 before they were processed.', ['path']),
} as const;

const database = {
  plinth_database_up: gauge('Whether the PostgreSQL statistics could be read.', [], 'min'),
  plinth_database_connections: shared('Connections to PostgreSQL.', ['state']),
  plinth_database_connections_limit: shared('Value of the PostgreSQL setting max_connections.'),
  plinth_database_lock_waits: shared('Statements that are waiting for a lock.'),
  plinth_database_longest_transaction_seconds: shared('Age of the oldest open transaction.'),
  plinth_database_transactions_total: sharedCounter('Transactions.', ['outcome']),
  plinth_database_deadlocks_total: sharedCounter('Deadlocks.'),
  plinth_database_temporary_bytes_total: sharedCounter('Data that statements wrote to temporary files.'),
  plinth_database_blocks_total: sharedCounter(
    'Blocks that statements read, from the cache or from the disk.',
    ['source'],
  ),
  plinth_database_size_bytes: shared('Size of the database, measured once per minute.'),
  plinth_database_transaction_id_age: shared(
    'Age of the oldest transaction ID. PostgreSQL stops writes before this age reaches 2147483648.',
  ),
  plinth_database_statistics_reset_timestamp_seconds: shared('When the statistics were last reset.'),
  plinth_wal_written_bytes_total: sharedCounter('Position of the WAL, which is the number of bytes written.'),
  plinth_wal_size_bytes: shared('Size of the WAL files on disk.'),
  plinth_wal_archive_failed_total: sharedCounter("Failures of PostgreSQL's archive_command."),
  plinth_wal_archive_last_success_timestamp_seconds: shared(
    "When PostgreSQL's archive_command last succeeded.",
  ),
  plinth_replication_slot_retained_bytes: shared('WAL that PostgreSQL keeps for a replication slot.', [
    'slot',
  ]),
  plinth_replication_slot_active: shared('Whether a client reads from a replication slot.', ['slot']),
  plinth_replication_slot_inactive_seconds: shared(
    'Time since a client last read from a replication slot. Requires PostgreSQL 17.',
    ['slot'],
  ),
} as const;

const disk = {
  plinth_disk_free_bytes: shared('Free space on the disk that contains the data folder.'),
  plinth_disk_size_bytes: shared('Size of the disk that contains the data folder.'),
  plinth_disk_full: shared('Whether writes are rejected because the disk is almost full.'),
} as const;

const backups = {
  plinth_backup_last_success_timestamp_seconds: shared('Time of the newest complete base backup.'),
  plinth_backup_last_size_bytes: shared('Size of the newest complete base backup.'),
  plinth_backup_running: gauge('Whether a base backup is running.', [], 'max'),
  plinth_backup_recoverable_timestamp_seconds: shared(
    'Latest point in time to which the database can be restored.',
  ),
  plinth_backup_overdue: gauge('Whether a scheduled base backup is overdue.', [], 'max'),
  plinth_backup_failing: gauge('Whether the last attempt to archive changes failed.', [], 'max'),
  plinth_backup_verification_timestamp_seconds: shared('When the last backup verification ended.'),
  plinth_backup_verification_failed: shared('Whether the last backup verification failed or found problems.'),
} as const;

const configuration = {
  plinth_config_last_reload_success: gauge(
    'Whether the last reload of the configuration succeeded. The start of the server counts as a reload.',
    [],
    'min',
  ),
  plinth_config_last_reload_success_timestamp_seconds: gauge(
    'Time of the last successful reload of the configuration.',
    [],
    'min',
  ),
  plinth_config_unapplied_settings: gauge('Changed settings that a reload would apply.', [], 'max'),
  plinth_config_restart_settings: gauge('Changed settings that need a restart.', [], 'max'),
  plinth_config_faults: gauge('Errors in the settings files.', [], 'max'),
} as const;

const tls = {
  plinth_tls_failing: gauge(
    'Whether new certificate files were rejected, or the last attempt to obtain a certificate failed.',
    [],
    'max',
  ),
  plinth_tls_certificate_expiry_timestamp_seconds: gauge(
    'Time at which a certificate expires.',
    ['certificate'],
    'min',
  ),
} as const;

const jobs = {
  plinth_jobs_total: counter('pg_net requests and pg_cron runs that ended.', ['kind', 'outcome']),
  plinth_jobs_running: gauge('pg_net requests and pg_cron runs in progress.', ['kind']),
  plinth_jobs_oldest_running_seconds: gauge(
    'Time since the oldest pg_net request or pg_cron run in progress started.',
    ['kind'],
    'max',
  ),
  plinth_jobs_queued: shared('Queued pg_net requests, including those in progress, up to 10000.'),
} as const;

const functions = {
  plinth_function_workers: gauge('Running function workers.'),
  plinth_function_workers_limit: gauge('Maximum number of running function workers.'),
  plinth_function_pending: gauge('Requests that functions are processing.'),
  plinth_function_starts_total: counter('Function workers that were started, by outcome.', ['outcome']),
  plinth_function_start_seconds: histogram('Time that a function worker takes to start.'),
  plinth_function_requests_total: counter('Completed requests to functions.', ['function', 'status_class']),
  plinth_function_cold_requests_total: counter('Requests that waited until a function worker had started.', [
    'function',
  ]),
  plinth_function_duration_seconds: histogram('Duration of requests to functions.', ['function']),
} as const;

const mail = {
  plinth_mail_total: counter('Emails and text messages, by outcome: sent, captured or failed.', [
    'kind',
    'outcome',
  ]),
} as const;

const realtime = {
  plinth_realtime_sockets: gauge('Connected sockets.'),
  plinth_realtime_channels: gauge('Joined channels.'),
  plinth_realtime_topics: gauge('Realtime topics with members or presence.'),
  plinth_realtime_joins_total: counter('Requests to join a channel.', ['outcome']),
  plinth_realtime_messages_received_total: counter('Messages from clients.'),
  plinth_realtime_messages_sent_total: counter('Messages to clients.'),
  plinth_realtime_messages_dropped_total: counter(
    "Realtime messages that weren't sent because the client was slow.",
  ),
  plinth_realtime_failing: gauge(
    "Whether database changes or messages from other processes can't be delivered.",
    [],
    'max',
  ),
} as const;

const auth = {
  plinth_auth_sign_ins_total: counter('Sign-ins and refreshes, by method and outcome.', [
    'method',
    'outcome',
  ]),
  plinth_auth_rate_limited_total: counter('Requests, emails and text messages rejected by a rate limit.', [
    'limit',
  ]),
} as const;

const telemetry = {
  plinth_log_dropped_lines_total: counter("Lines that couldn't be written to the log."),
  plinth_traces_dropped_total: counter("Traces that the collector didn't receive."),
} as const;

export const metricCatalog = {
  ...requests,
  ...processes,
  ...workers,
  ...pools,
  ...queues,
  ...database,
  ...disk,
  ...backups,
  ...tls,
  ...configuration,
  ...jobs,
  ...functions,
  ...mail,
  ...realtime,
  ...auth,
  ...telemetry,
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The metrics grouped by subject, for docs/metrics.md. */
export const metricSubjects: Readonly<Record<string, Readonly<Record<string, MetricDefinition>>>> = {
  Requests: requests,
  Process: processes,
  'API workers': workers,
  'Database connections': pools,
  Queues: queues,
  PostgreSQL: database,
  Disk: disk,
  Backups: backups,
  Certificates: tls,
  Settings: configuration,
  Jobs: jobs,
  Functions: functions,
  Email: mail,
  Realtime: realtime,
  Auth: auth,
  'Log and traces': telemetry,
};

export type MetricName = keyof typeof metricCatalog;

export type MetricValues = { readonly [name in MetricName]?: Samples };
