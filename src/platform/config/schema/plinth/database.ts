import {
  boolean,
  duration,
  integer,
  list,
  live,
  liveSection,
  optionalInteger,
  optionalSize,
  optionalText,
  restart,
  restartSection,
  secret,
  section,
  size,
  text,
} from '../define.ts';

const connections = restart('connections to PostgreSQL are distributed at startup');

export const database = restartSection(
  'the database logins are set up at startup',
  'PostgreSQL settings. `shared_password`, `replication` and `jwt_secret_setting` make the database less secure.',
  {
    pool_connections: optionalInteger(
      'Number of PostgreSQL connections for each service except REST. One connection is always kept free, so that neither a single client nor all anonymous clients together can use all connections.',
      { min: 1, max: 100 },
      { defaultText: '1 per 128 MiB of memory, at least 2 and at most 5', ...connections },
    ),
    pool_max_waiting: integer(
      1000,
      'Maximum number of requests that are waiting for a connection of the same service. Additional requests receive 503.',
      { min: 1 },
      connections,
    ),
    reserved_space: optionalSize(
      "Minimum free space on the disk of the data folder. Below this limit, the database is read-only, so that PostgreSQL doesn't stop. Writes are accepted again as soon as enough space is free.",
      { defaultText: '5% of the disk, at least 48 MiB and at most 1 GiB', ...live },
    ),
    direct_url: secret(
      'URL of the PostgreSQL server itself, if --database-url is the URL of a pooler in transaction mode, such as PgBouncer. Requests use the pooler. Notifications, replication, migrations and other work that needs a session use this URL. --database-direct-url takes precedence.',
    ),
    replica_urls: secret(
      'URLs of read replicas of the external server, separated by spaces. They must be physical standbys. GET and HEAD requests of the REST service and calls of functions that are not volatile use them. Only the addresses and the TLS options of the URLs are used.',
    ),
    replica_max_lag: duration(
      5000,
      'Maximum lag of a read replica. Requests use other replicas or the primary while the lag of a replica is longer.',
    ),
    extension_folders: list(
      [],
      "Folders in which the embedded PostgreSQL searches extensions that Plinth doesn't include, such as `/usr/lib/postgresql/18`. A folder contains `extension/` and `lib/`, or an installation of PostgreSQL 18. The path of `pg_config` is also accepted. Code in these folders runs with the permissions of PostgreSQL.",
    ),
    shared_password: boolean(
      false,
      "Gives every login role the password of `postgres` and lets `supabase_admin` sign in over TCP, as in upstream's local stack. With --database-url, the roles get the password in the URL.",
    ),
    replication: boolean(
      false,
      "Gives the `postgres` role the REPLICATION attribute, as in upstream's local stack, for change data capture tools. The project's SQL can then load a library from any file that PostgreSQL can read, so it can run programs as the operating system user that runs PostgreSQL.",
    ),
    jwt_secret_setting: boolean(
      false,
      'Lets every role read the JWT secret from the PostgreSQL setting app.settings.jwt_secret. If disabled, only `plinth start` provides this setting, and only for the well-known default secret.',
    ),
  },
);

export const rest = liveSection('The REST service.', {
  connections: integer(
    4,
    'Number of PostgreSQL connections that fast reads share. Several reads can be in progress on each connection.',
    { min: 1, max: 100 },
    connections,
  ),
  exclusive_connections: optionalInteger(
    'Number of PostgreSQL connections for all other requests. Each such request uses one connection exclusively.',
    { min: 1, max: 100 },
    {
      defaultText: '3 per CPU core, at least 6 and at most 24, but at most 1 per 64 MiB of memory',
      ...connections,
    },
  ),
  slow_connections: optionalInteger(
    'Number of PostgreSQL connections for slow requests, which never use other connections. If 0, slow requests are treated like all others.',
    { min: 0, max: 100 },
    {
      defaultText: '2 per CPU core, at least 4 and at most 16, but at most 1 per 128 MiB of memory',
      ...connections,
    },
  ),
  slow_after: duration(
    250,
    'Duration above which a database call counts as slow. Later calls of the same kind count as slow until a few of them have been fast.',
    connections,
  ),
  max_waiting: integer(
    5000,
    'Maximum number of requests that wait for a connection. If more requests arrive, the client with the most waiting requests receives 503.',
    { min: 1 },
    connections,
  ),
  max_wait: duration(
    1000,
    'Maximum expected wait for a connection. A request that would wait longer receives 503 immediately.',
    connections,
  ),
  max_waiting_slow: integer(
    100,
    'The same as `max_waiting`, but for slow requests.',
    { min: 1 },
    connections,
  ),
  max_wait_slow: duration(10_000, 'The same as `max_wait`, but for slow requests.', connections),
  max_answer_size: size(
    2 * 1024 * 1024 * 1024,
    'Maximum size of a response. Large responses are buffered in files in the data folder, not in memory.',
  ),
  max_waiting_answers: size(8 * 1024 * 1024 * 1024, 'Maximum total size of buffered responses.'),
  max_request_bodies: optionalSize(
    'Maximum total memory for large request bodies. Additional requests are rejected until memory is available.',
    { defaultText: '512MiB, or an eighth of the memory of the machine or container if that is less' },
  ),
});

export const safeUpdate = section('Protection against accidental changes to every row.', {
  enabled: boolean(true, 'Rejects PATCH and DELETE requests without a filter.', live),
});

export const backup = restartSection(
  'the backup target is opened at startup',
  'Backups of the embedded database, the objects, `supabase/` and the keys.',
  {
    to: optionalText(
      'Backup target, which is a folder or `s3://bucket/prefix`. For S3 servers other than Amazon S3, append `?endpoint=https://…&region=…`. If unset, no backups are created.',
    ),
    encryption_key: secret(
      'Key of 32 bytes in hexadecimal or base64 that encrypts backups, for example from `openssl rand -hex 32`. Keep a copy of the key in another location. Without the key, no backup can be restored.',
    ),
    schedule: text('0 3 * * *', 'Schedule of base backups, as a cron expression in UTC.', live),
    keep: duration(
      14 * 24 * 60 * 60 * 1000,
      'How far back in time you can restore the project. Backups from before this period, and objects that were deleted before it, are removed.',
      live,
    ),
    wal: boolean(
      true,
      'Archives changes continuously. You can then restore the project to any point in time, and a failure loses at most two seconds of changes. If disabled, only the base backups can be restored.',
    ),
    max_rate: size(
      8 * 1024 * 1024,
      'Maximum number of bytes per second that a base backup reads. A higher value shortens the backup and slows down other work.',
      live,
    ),
    access_key_id: optionalText('Access key ID for S3.', {
      defaultText: "from the AWS SDK: AWS_ACCESS_KEY_ID, a profile, or the machine's role",
    }),
    secret_access_key: secret('Secret access key for S3.'),
  },
);
