/** The settings pages for PostgreSQL, its connections, migrations and seeds. */
import { type PageSpec, under } from './types.ts';

export const databasePages: readonly PageSpec[] = [
  {
    id: 'database',
    group: 'database',
    title: 'Database',
    text: 'Connections to PostgreSQL, and the disk space that stays free.',
    words: 'postgres postgresql',
    parts: [
      {
        settings: [
          ['db.port', 'Database port', { words: '54322 connection' }],
          ['database.reserved_space', 'Space to keep free', { words: 'disk full read-only' }],
          ['database.pool_connections', 'Connections per service', { unit: 'connections', words: 'pool' }],
          [
            'database.pool_max_waiting',
            'Waiting requests per service',
            { unit: 'requests', words: 'pool queue' },
          ],
        ],
      },
      {
        title: 'Other servers',
        text: 'A pooler in front of your own PostgreSQL server, and its read replicas.',
        isRare: true,
        settings: under('database', [
          ['direct_url', 'URL behind the pooler', { words: 'pgbouncer direct' }],
          ['replica_urls', 'URLs of read replicas', { words: 'standby scale' }],
          ['replica_max_lag', 'Maximum lag of a replica', { words: 'standby' }],
        ]),
      },
      {
        title: 'Extensions',
        text: 'Folders of this machine that contain PostgreSQL extensions.',
        isRare: true,
        settings: under('database', [
          ['extension_folders', 'Extension folders', { words: 'postgis pgvector native library' }],
        ]),
      },
      {
        title: 'Startup',
        isRare: true,
        settings: under('db', [
          ['health_timeout', 'Wait for the database', { words: 'startup health' }],
          ['major_version', 'PostgreSQL version of the hosted project', { words: 'major' }],
        ]),
      },
      {
        title: 'Less secure options',
        text: 'These options match upstream’s local stack. Use them only in development.',
        isRare: true,
        settings: under('database', [
          ['shared_password', 'One password for all login roles', { words: 'insecure supabase_admin' }],
          ['replication', 'Replication attribute for postgres', { words: 'cdc debezium' }],
          ['jwt_secret_setting', 'SQL can read the JWT secret', { words: 'app.settings' }],
        ]),
      },
    ],
  },
  {
    id: 'migrations',
    group: 'database',
    title: 'Migrations and seeds',
    text: 'SQL files in `supabase/` that create the schema and sample data.',
    words: 'schema sql files',
    parts: [
      {
        settings: under('db', [
          ['migrations.enabled', 'Apply migrations'],
          ['migrations.schema_paths', 'Schema files', { words: 'declarative diff' }],
          ['seed.enabled', 'Apply seeds', { words: 'sample data' }],
          ['seed.sql_paths', 'Seed files', { words: 'sample data' }],
        ]),
      },
      {
        title: 'Vault secrets',
        text: 'Secrets that are written to the vault before migrations are applied.',
        names: 'db.vault',
        settings: [['db.vault.*', 'Secret', { words: 'vault encrypted' }]],
      },
    ],
  },
  {
    id: 'postgres',
    group: 'database',
    title: 'PostgreSQL',
    text: 'Parameters that are copied to postgresql.conf. Empty fields keep the server’s own value.',
    words: 'postgresql.conf tuning parameter',
    parts: [
      {
        title: 'Memory',
        settings: under('db.settings', [
          ['shared_buffers', 'Shared buffers', { words: 'cache memory' }],
          ['work_mem', 'Memory per sort or hash', { words: 'work_mem' }],
          ['maintenance_work_mem', 'Memory for maintenance', { words: 'vacuum index' }],
          ['effective_cache_size', 'Assumed cache size', { words: 'planner' }],
          ['logical_decoding_work_mem', 'Memory per logical decoder', { words: 'replication' }],
        ]),
      },
      {
        title: 'Connections and statements',
        settings: under('db.settings', [
          ['max_connections', 'Concurrent connections', { unit: 'connections' }],
          ['statement_timeout', 'Statement timeout', { words: 'slow query cancel' }],
          ['max_locks_per_transaction', 'Locks per transaction', { unit: 'locks' }],
          ['track_activity_query_size', 'Space for statement texts', { words: 'pg_stat_activity' }],
          ['session_replication_role', 'Triggers that fire', { words: 'replica trigger' }],
        ]),
      },
      {
        title: 'Parallel work',
        isRare: true,
        settings: under('db.settings', [
          ['max_worker_processes', 'Background workers', { unit: 'processes' }],
          ['max_parallel_workers', 'Parallel workers', { unit: 'processes' }],
          ['max_parallel_workers_per_gather', 'Parallel workers per plan node', { unit: 'processes' }],
          ['max_parallel_maintenance_workers', 'Parallel workers for maintenance', { unit: 'processes' }],
        ]),
      },
      {
        title: 'WAL and replication',
        isRare: true,
        settings: under('db.settings', [
          ['max_wal_size', 'WAL between checkpoints', { words: 'checkpoint' }],
          ['wal_keep_size', 'WAL kept for standbys'],
          ['max_wal_senders', 'Replication connections', { unit: 'connections' }],
          ['max_replication_slots', 'Replication slots', { unit: 'slots' }],
          ['max_slot_wal_keep_size', 'WAL kept for slots'],
          ['wal_sender_timeout', 'Replication timeout'],
          ['max_standby_streaming_delay', 'Standby delay for streamed WAL'],
          ['max_standby_archive_delay', 'Standby delay for archived WAL'],
          ['track_commit_timestamp', 'Record commit times', { words: 'timestamp' }],
        ]),
      },
    ],
  },
  {
    id: 'backups',
    group: 'database',
    title: 'Backups',
    text: 'Backups of the database, the files, `supabase/` and the keys.',
    words: 'restore point-in-time recovery pitr',
    parts: [
      {
        settings: under('backup', [
          ['to', 'Backup target', { words: 'folder s3 destination' }],
          ['encryption_key', 'Encryption key', { words: 'encrypt secret' }],
          ['schedule', 'Schedule', { words: 'cron daily' }],
          ['keep', 'Keep backups for', { words: 'retention' }],
          ['wal', 'Archive changes continuously', { words: 'wal pitr point in time' }],
          ['max_rate', 'Read rate', { words: 'bytes per second throttle', unit: 'per second' }],
        ]),
      },
      {
        title: 'S3 credentials',
        isRare: true,
        settings: under('backup', [
          ['access_key_id', 'Backup access key ID', { words: 's3 aws' }],
          ['secret_access_key', 'Backup secret access key', { words: 's3 aws' }],
        ]),
      },
    ],
  },
  {
    id: 'branches',
    group: 'database',
    title: 'Branches',
    text: 'Copies of the project for trying changes.',
    words: 'preview staging',
    parts: [
      {
        settings: under('branches', [
          ['max', 'Branches', { unit: 'branches' }],
          ['max_running', 'Running branches', { unit: 'branches' }],
          ['idle_timeout', 'Stop without connections after'],
          ['delete_after', 'Delete without connections after', { words: 'expire retention' }],
          ['host', 'Address', { words: 'listen interface' }],
        ]),
      },
      {
        title: 'Personal data',
        settings: under('branches', [['mask.enabled', 'Replace personal data', { words: 'mask anonymize' }]]),
      },
      {
        title: 'Columns with personal data',
        names: 'branches.mask.columns',
        settings: under('branches', [['mask.columns.*', 'Replacement', { words: 'mask anonymize' }]]),
      },
    ],
  },
];
