import {
  boolean,
  duration,
  files,
  integer,
  list,
  live,
  majorVersion,
  names,
  oneOf,
  opened,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalText,
  port,
  restart,
  restartSection,
  secret,
  section,
  text,
} from './define.ts';

const hosted = { ignored: 'this setting applies only to the hosted service' };
const noOriole = { ignored: 'the bundled PostgreSQL has only the default storage engine' };
const noPooler = { ignored: 'clients connect directly to the database without a pooler' };

/** Copied to postgresql.conf. PostgreSQL validates the values of these settings. */
const settings = restartSection(
  'PostgreSQL reads postgresql.conf at startup',
  'PostgreSQL settings, applied at startup.',
  {
    effective_cache_size: optionalText('Cache size that the planner assumes.'),
    logical_decoding_work_mem: optionalText('Memory that a logical decoder uses before it spills to disk.'),
    maintenance_work_mem: optionalText('Memory for VACUUM and CREATE INDEX.'),
    max_connections: optionalInteger('Maximum number of concurrent connections.', { min: 20 }),
    max_locks_per_transaction: optionalInteger(
      'Average number of locks per transaction, which determines the size of the lock table.',
      { min: 10 },
    ),
    max_parallel_maintenance_workers: optionalInteger('Parallel workers per maintenance command.'),
    max_parallel_workers: optionalInteger('Total number of parallel workers.'),
    max_parallel_workers_per_gather: optionalInteger('Parallel workers per plan node.'),
    max_replication_slots: optionalInteger('Maximum number of replication slots. Realtime needs one.', {
      min: 1,
    }),
    max_slot_wal_keep_size: optionalText('Maximum WAL size that replication slots retain.'),
    max_standby_archive_delay: optionalText(
      'Maximum delay before a standby server cancels queries that conflict with archived WAL.',
    ),
    max_standby_streaming_delay: optionalText(
      'Maximum delay before a standby server cancels queries that conflict with streamed WAL.',
    ),
    max_wal_size: optionalText('Maximum WAL size between checkpoints.'),
    max_wal_senders: optionalInteger('Maximum number of replication connections. Realtime needs one.', {
      min: 1,
    }),
    max_worker_processes: optionalInteger('Maximum number of background workers.'),
    session_replication_role: optionalOneOf(
      ['origin', 'replica', 'local'],
      'Determines which triggers and rules fire.',
    ),
    shared_buffers: optionalText('Shared memory for the page cache.'),
    statement_timeout: optionalText('Maximum duration of a statement.'),
    track_activity_query_size: optionalText('Bytes reserved for the text of a running statement.'),
    track_commit_timestamp: optionalBoolean('Records the commit time of transactions.'),
    wal_keep_size: optionalText('WAL size retained for standbys.'),
    wal_sender_timeout: optionalText(
      'Time without activity after which PostgreSQL closes a replication connection.',
    ),
    work_mem: optionalText('Memory per sort or hash operation.'),
  },
);

export const db = section('The database.', {
  port: port(54322, 'PostgreSQL port on the loopback address.', opened),
  shadow_port: port(54320, 'Port of the shadow database.', {
    ignored: 'the shadow database is on the same server',
  }),
  health_timeout: duration(
    120_000,
    'Maximum time to wait for the database at startup.',
    restart('the limit applies only at startup'),
  ),
  major_version: majorVersion(
    17,
    'PostgreSQL major version of the hosted project. Plinth always runs the bundled PostgreSQL.',
    {
      min: 13,
      max: 18,
    },
    restart('the version is checked only at startup'),
  ),
  orioledb_version: optionalText('Version of OrioleDB.', noOriole),
  root_key: text(
    'd4dc5b6d4a1d6a10b2c1e76112c994d65db7cec380572cc1839624d4be3fa275',
    'Root key of the vault, 64 hexadecimal digits.',
    { defaultText: 'a fixed key', ignored: 'the vault key is a file in the data folder' },
  ),
  pooler: section('The connection pooler.', {
    enabled: boolean(false, 'Starts the pooler.', noPooler),
    port: port(54329, 'Port of the pooler.', noPooler),
    pool_mode: oneOf('transaction', ['session'], 'When the pooler releases a server connection.', noPooler),
    default_pool_size: integer(20, 'Server connections per user and database.', undefined, noPooler),
    max_client_conn: integer(100, 'Maximum number of clients.', undefined, noPooler),
  }),
  migrations: section('Files in supabase/migrations.', {
    enabled: boolean(
      true,
      "If disabled, migrations aren't applied when the server first starts or when the database is reset.",
      live,
    ),
    schema_paths: files(
      [],
      'Glob patterns of declarative schema files, relative to supabase/, in the order in which "db diff" applies them. If empty, supabase/schemas/**/*.sql.',
      live,
    ),
  }),
  seed: section('Data for development.', {
    enabled: boolean(
      true,
      "If disabled, seeds aren't applied when the server first starts or when the database is reset.",
      live,
    ),
    sql_paths: files(
      ['./seed.sql'],
      'Glob patterns of seed files, relative to supabase/, in the order in which they are applied.',
      live,
    ),
  }),
  settings,
  vault: names(
    'NAME',
    'Secrets that are written to the vault before migrations are applied.',
    secret('The secret.', live),
  ),
  network_restrictions: section('Network restrictions of the hosted database.', {
    enabled: boolean(false, 'Applies the restrictions.', hosted),
    allowed_cidrs: list(['0.0.0.0/0'], 'Allowed IPv4 blocks.', hosted),
    allowed_cidrs_v6: list(['::/0'], 'Allowed IPv6 blocks.', hosted),
  }),
  ssl_enforcement: section('TLS connections to the hosted database.', {
    enabled: boolean(false, 'Rejects connections without TLS.', hosted),
  }),
});
