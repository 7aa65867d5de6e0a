import {
  boolean,
  duration,
  integer,
  list,
  live,
  liveSection,
  oneOf,
  optionalInteger,
  optionalOneOf,
  optionalSize,
  optionalText,
  restart,
  secret,
  section,
  size,
  text,
} from '../define.ts';

/**
 * Link-local addresses, and other addresses of cloud metadata services (AWS and Google over IPv6, Alibaba, Azure,
 * OpenStack, NAT64).
 */
const metadataServices = [
  '169.254.0.0/16',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
  '[fe80::a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
];

const bus = restart('processes join the bus at startup');
const objectStore = restart('the object store is opened at startup');

export const edgeRuntime = liveSection('Edge functions.', {
  html: oneOf(
    'sandbox',
    ['page'],
    'How browsers show HTML responses from functions: in a sandbox without scripts, or as ordinary pages. Ordinary pages have the same origin as the Account pages.',
  ),
  deny_net: list(
    metadataServices,
    "Addresses, IPv4 blocks and hosts that functions can't access, either directly or through a DNS name. By default, the list contains the metadata services of cloud providers, because these return credentials.",
  ),
});

export const storage = section('Files.', {
  backend: oneOf(
    'file',
    ['s3'],
    "Where objects are stored: in the data folder, or in an S3 bucket. Changing this setting doesn't move existing objects.",
    objectStore,
  ),
  s3: section(
    'S3 bucket for `backend = "s3"`. The settings in this section are named after upstream\'s environment variables (`STORAGE_S3_…`).',
    {
      bucket: optionalText('Name of the bucket.'),
      endpoint: optionalText('URL of the S3 server.', { defaultText: "Amazon's server for the region" }),
      public_endpoint: optionalText(
        'URL at which clients can reach the S3 server, for `redirect_downloads_over`.',
        { defaultText: 'storage.s3.endpoint' },
      ),
      region: text('us-east-1', 'Region of the bucket.'),
      force_path_style: boolean(
        false,
        'Puts the bucket name in the path of S3 URLs instead of the hostname.',
      ),
      access_key_id: optionalText('Access key ID.', {
        defaultText: "from the AWS SDK: AWS_ACCESS_KEY_ID, a profile, or the machine's role",
      }),
      secret_access_key: secret('Secret access key.'),
      prefix: text(
        '',
        'Prefix of every object key. With different prefixes, several projects can share a bucket.',
      ),
    },
    objectStore,
  ),
  redirect_downloads_over: optionalSize(
    'Downloads of more bytes are redirected to the S3 server with a signed URL that is valid for up to 10 minutes. Needs `backend = "s3"` and a CORS rule of the bucket (docs/scale.md). If unset, Plinth sends all bytes itself.',
    live,
  ),
  multipart_lifetime: duration(
    7 * 24 * 60 * 60 * 1000,
    'Maximum time between two parts of an S3 multipart upload. After this time, the upload is aborted and its parts are deleted.',
    live,
  ),
  webhook: section(
    'Webhook for objects that are created or removed through the API. Each event is delivered at least once.',
    {
      url: optionalText(
        'URL that receives a POST request for each event. The URL must use HTTPS, unless it refers to this machine during development. If unset, no events are sent.',
      ),
      api_key: secret('API key, sent as a bearer token.'),
    },
    restart('the event sender is created at startup'),
  ),
});

export const jobs = section('HTTP requests from SQL (pg_net, database webhooks).', {
  private_hosts: list(
    [],
    "Hosts or addresses in private networks to which `plinth serve` is allowed to send these requests. `plinth start` doesn't restrict the destinations.",
    live,
  ),
});

export const realtime = section(
  "Realtime limits, with upstream's names. Numbers in parentheses are upstream's defaults.",
  {
    max_concurrent_users: optionalInteger(
      'Maximum number of concurrent sockets (upstream: 200). If unset, unlimited.',
      { min: 1 },
    ),
    max_events_per_second: optionalInteger(
      'Maximum number of messages sent and delivered per second, averaged over a minute (upstream: 100). If unset, unlimited.',
      { min: 1 },
    ),
    max_joins_per_second: optionalInteger(
      'Maximum number of joins per second (upstream: 100). If unset, unlimited.',
      {
        min: 1,
      },
    ),
    max_channels_per_client: integer(100, 'Maximum number of channels per socket (upstream: 100).', {
      min: 1,
    }),
    max_presence_events_per_second: optionalInteger(
      'Maximum number of presence messages sent and delivered per second (upstream: 1000). If unset, unlimited.',
      { min: 1 },
    ),
    client_presence_max_calls: integer(
      1000,
      'Maximum number of presence calls per channel within client_presence_window (upstream: 5).',
      {
        min: 1,
      },
    ),
    client_presence_window: duration(
      30_000,
      'Period over which presence calls are counted for client_presence_max_calls.',
    ),
    max_payload_size_in_kb: integer(
      3000,
      'Maximum size of a message, in kilobytes of 1000 bytes (upstream: 3000).',
      {
        min: 1,
        max: 4900,
      },
    ),
    private_only: boolean(false, 'Rejects public channels.'),
    max_buffered_per_client: size(
      8 * 1024 * 1024,
      'Maximum amount of data buffered for a slow client before its socket is closed.',
    ),
    max_buffered: size(
      256 * 1024 * 1024,
      'Maximum amount of data buffered for all clients. Above this limit, the slowest sockets are closed.',
    ),
    max_held_per_client: size(
      16 * 1024 * 1024,
      'Maximum memory for the joins and presence of a socket, estimated from their text. Above this limit, the socket is closed.',
    ),
    max_held: size(
      256 * 1024 * 1024,
      'Maximum memory for the joins and presence of all sockets. Above this limit, the sockets that use the most memory are closed.',
    ),
    max_waiting_changes: size(
      128 * 1024 * 1024,
      'Maximum size of queued database changes. Above this limit, PostgreSQL retains newer changes in its WAL.',
    ),
    max_slot_wal: size(
      2 * 1024 * 1024 * 1024,
      'Maximum WAL size that PostgreSQL retains for undelivered changes. Above this limit, these changes are discarded and subscribers are notified that the stream restarted.',
    ),
    bus: optionalOneOf(
      ['process', 'postgres', 'nats'],
      "How processes on the same database share broadcasts and presence: `process` doesn't share them, `postgres` uses NOTIFY, `nats` uses a NATS server. If unset, `postgres` is used with your own database, and `process` with the embedded database.",
      bus,
    ),
    nats_url: secret('Addresses of the NATS servers for `bus = "nats"`, separated by commas.', bus),
  },
  live,
);

export const graphql = liveSection(
  'The GraphQL API. The limits apply to `/graphql/v1` and, except the timeout, to `graphql.resolve`.',
  {
    without_extension: boolean(
      false,
      'Serves `/graphql/v1` even if the database does not have the extension pg_graphql, for example on a PostgreSQL server in --database-url that does not provide it.',
    ),
    max_depth: integer(50, 'Maximum number of nested fields in a query.', { min: 1, max: 200 }),
    max_complexity: integer(10_000_000, 'Maximum number of fields in a response, if each page is full.', {
      min: 1,
      // Nested pages multiply, so a query with a small response can have a high number.
      max: 1e15,
    }),
    max_aliases: integer(500, 'Maximum number of aliases in a query.'),
    max_query: size(256 * 1024, 'Maximum size of a query.'),
    max_variables: size(16 * 1024 * 1024, 'Maximum size of the variables as JSON.'),
    timeout: duration(
      30_000,
      'Time after which a request is canceled. The `statement_timeout` of the role applies as well.',
    ),
  },
);
