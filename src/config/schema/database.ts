import {
  boolean,
  duration,
  files,
  integer,
  list,
  majorVersion,
  names,
  notYet,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalText,
  port,
  secret,
  section,
  text,
} from './define.ts';

const hosted = { ignored: 'has an effect on the hosted service only' };
const noOriole = { ignored: 'the bundled PostgreSQL has its own storage engine only' };
const noPooler = { ignored: 'the database takes clients directly, there is no pooler' };

/** Written into postgresql.conf as they are; PostgreSQL judges the values. */
const settings = section('Settings of PostgreSQL itself, applied at start.', {
  effective_cache_size: optionalText('Memory the planner expects for caches.'),
  logical_decoding_work_mem: optionalText('Memory of a logical decoder before it spills to disk.'),
  maintenance_work_mem: optionalText('Memory of VACUUM and CREATE INDEX.'),
  max_connections: optionalInteger('Most connections at once.', { min: 20 }),
  max_locks_per_transaction: optionalInteger('Size of the lock table.', { min: 10 }),
  max_parallel_maintenance_workers: optionalInteger('Parallel workers of one maintenance command.'),
  max_parallel_workers: optionalInteger('Parallel workers in all.'),
  max_parallel_workers_per_gather: optionalInteger('Parallel workers of one plan node.'),
  max_replication_slots: optionalInteger('Most replication slots; realtime needs one.', { min: 1 }),
  max_slot_wal_keep_size: optionalText('Most WAL that slots keep back.'),
  max_standby_archive_delay: optionalText('Wait of a standby before it cancels queries (archive).'),
  max_standby_streaming_delay: optionalText('Wait of a standby before it cancels queries (streaming).'),
  max_wal_size: optionalText('WAL between checkpoints.'),
  max_wal_senders: optionalInteger('Most replication connections; realtime needs one.', { min: 1 }),
  max_worker_processes: optionalInteger('Most background workers.'),
  session_replication_role: optionalOneOf(['origin', 'replica', 'local'], 'Which triggers and rules fire.'),
  shared_buffers: optionalText('Shared memory for pages.'),
  statement_timeout: optionalText('Longest run of a statement.'),
  track_activity_query_size: optionalText('Bytes kept of a running statement.'),
  track_commit_timestamp: optionalBoolean('Keeps the commit time of transactions.'),
  wal_keep_size: optionalText('WAL kept for standbys.'),
  wal_sender_timeout: optionalText('Silence after which a replication connection is dropped.'),
  work_mem: optionalText('Memory of one sort or hash.'),
});

export const db = section('The database.', {
  port: port(54322, 'Port of PostgreSQL on loopback.'),
  shadow_port: port(54320, 'Port of the shadow database.', {
    ignored: 'the shadow database lives in the same server',
  }),
  health_timeout: duration(120_000, 'Longest wait for the database at start.'),
  major_version: majorVersion(
    17,
    "Major version of the hosted project's database; the bundled PostgreSQL runs in any case.",
    {
      min: 13,
      max: 18,
    },
  ),
  orioledb_version: optionalText('Version of OrioleDB.', noOriole),
  root_key: text(
    'd4dc5b6d4a1d6a10b2c1e76112c994d65db7cec380572cc1839624d4be3fa275',
    'Root key of the vault, 64 hexadecimal digits.',
    { defaultText: 'a fixed key', ignored: "the vault's key is a file of the data folder" },
  ),
  pooler: section('The connection pooler.', {
    enabled: boolean(false, 'Starts a pooler.', noPooler),
    port: port(54329, 'Port of the pooler.', noPooler),
    pool_mode: oneOf('transaction', ['session'], 'When a server connection is given back.', noPooler),
    default_pool_size: integer(20, 'Server connections of a user and database.', undefined, noPooler),
    max_client_conn: integer(100, 'Most clients.', undefined, noPooler),
  }),
  migrations: section('Files of supabase/migrations.', {
    enabled: boolean(true, 'False: they are skipped at first start and reset.'),
    schema_paths: files([], 'Globs of declarative schema files, relative to supabase/, in order.', notYet),
  }),
  seed: section('Data for development.', {
    enabled: boolean(true, 'False: seeds are skipped at first start and reset.'),
    sql_paths: files(['./seed.sql'], 'Globs of seed files, relative to supabase/, in order.'),
  }),
  settings,
  vault: names('NAME', 'Secrets written to the vault before migrations.', secret('The secret.')),
  network_restrictions: section('Who may connect to the hosted database.', {
    enabled: boolean(false, 'Manages the restrictions.', hosted),
    allowed_cidrs: list(['0.0.0.0/0'], 'IPv4 blocks.', hosted),
    allowed_cidrs_v6: list(['::/0'], 'IPv6 blocks.', hosted),
  }),
  ssl_enforcement: section('Encryption to the hosted database.', {
    enabled: boolean(false, 'Refuses connections without TLS.', hosted),
  }),
});
