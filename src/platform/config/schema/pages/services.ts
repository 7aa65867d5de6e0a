/** The settings pages for the REST API, realtime, storage, functions and jobs. */
import { type PageSpec, under } from './types.ts';

export const servicePages: readonly PageSpec[] = [
  {
    id: 'api',
    group: 'services',
    title: 'API',
    text: 'The REST API for your tables, views and functions.',
    words: 'rest postgrest',
    parts: [
      {
        settings: under('api', [
          ['schemas', 'Exposed schemas', { words: 'public graphql' }],
          ['extra_search_path', 'Search path', { words: 'extensions schema' }],
          ['max_rows', 'Row limit', { unit: 'rows', words: 'maximum page size limit' }],
          ['auto_expose_new_tables', 'Grant API roles access to new tables', { words: 'expose privileges' }],
        ]),
      },
      {
        title: 'Protection',
        settings: [
          ['safe_update.enabled', 'Reject changes without a filter', { words: 'safeupdate delete all rows' }],
          [
            'server.browser_secret_keys',
            'Allow secret keys from web pages',
            { words: 'cors cross-origin browser service_role' },
          ],
        ],
      },
      {
        title: 'Response limits',
        isRare: true,
        settings: under('rest', [
          ['max_answer_size', 'Maximum response size', { words: 'download large' }],
          ['max_waiting_answers', 'Maximum size of buffered responses', { words: 'disk buffer' }],
          ['max_request_bodies', 'Memory for large request bodies', { words: 'upload import' }],
        ]),
      },
      {
        title: 'Connections and queues',
        isRare: true,
        settings: under('rest', [
          ['connections', 'Connections for fast reads', { unit: 'connections', words: 'pool postgres' }],
          ['exclusive_connections', 'Connections for other requests', { unit: 'connections', words: 'pool' }],
          ['slow_connections', 'Connections for slow requests', { unit: 'connections', words: 'pool' }],
          ['slow_after', 'A request is slow after'],
          ['max_waiting', 'Waiting requests', { unit: 'requests', words: 'queue 503 overload' }],
          ['max_wait', 'Longest wait for a connection', { words: 'queue 503 overload timeout' }],
          ['max_waiting_slow', 'Waiting slow requests', { unit: 'requests', words: 'queue 503' }],
          ['max_wait_slow', 'Longest wait of slow requests', { words: 'queue 503 timeout' }],
        ]),
      },
    ],
  },
  {
    id: 'graphql',
    group: 'services',
    title: 'GraphQL',
    text: 'The GraphQL API of the extension pg_graphql.',
    words: 'pg_graphql introspection',
    parts: [
      {
        settings: under('graphql', [
          ['without_extension', 'Serve GraphQL without the extension', { words: 'external pg_graphql' }],
        ]),
      },
      {
        title: 'Request limits',
        isRare: true,
        settings: under('graphql', [
          ['max_depth', 'Nested fields', { unit: 'fields', words: 'depth' }],
          ['max_complexity', 'Fields in a response', { unit: 'fields', words: 'complexity cost rows' }],
          ['max_aliases', 'Aliases in a query', { unit: 'aliases' }],
          ['max_query', 'Maximum query size'],
          ['max_variables', 'Maximum size of the variables'],
          ['timeout', 'Request timeout', { words: 'cancel slow' }],
        ]),
      },
    ],
  },
  {
    id: 'storage',
    group: 'services',
    title: 'Storage',
    text: 'Files of your users and where they are stored.',
    words: 'bucket upload file object',
    parts: [
      {
        settings: [
          ['storage.file_size_limit', 'Maximum file size', { words: 'upload limit large bytes' }],
          ['storage.image_transformation.enabled', 'Image transformation', { words: 'resize thumbnail' }],
          ['storage.s3_protocol.enabled', 'S3 protocol', { words: 'aws compatible' }],
          [
            'storage.redirect_downloads_over',
            'Redirect larger downloads to S3',
            { words: 'presigned signed url cdn' },
          ],
          ['storage.multipart_lifetime', 'Delete unfinished uploads after', { words: 'multipart abort' }],
        ],
      },
      {
        title: 'Where files are stored',
        settings: [
          [
            'storage.backend',
            'Object store',
            { words: 's3 disk', options: { file: 'Data folder', s3: 'S3 bucket' } },
          ],
          ...under('storage.s3', [
            ['bucket', 'S3 bucket', { words: 'aws' }],
            ['region', 'S3 region', { words: 'aws' }],
            ['public_endpoint', 'S3 server URL for clients', { words: 'aws minio redirect download' }],
            ['endpoint', 'S3 server URL', { words: 'aws minio r2 endpoint' }],
            ['access_key_id', 'S3 access key ID', { words: 'aws' }],
            ['secret_access_key', 'S3 secret access key', { words: 'aws' }],
            ['prefix', 'Key prefix', { words: 's3' }],
            ['force_path_style', 'Bucket name in the path', { words: 's3 minio path style' }],
          ]),
        ],
      },
      {
        title: 'Webhook',
        isRare: true,
        settings: under('storage.webhook', [
          ['url', 'Webhook URL', { words: 'event object created removed' }],
          ['api_key', 'Webhook API key', { words: 'event bearer' }],
        ]),
      },
      {
        title: 'Buckets',
        text: 'Buckets that are created when the server first starts and by `seed buckets`.',
        names: 'storage.buckets',
        settings: under('storage.buckets.*', [
          ['public', 'Anyone can read files'],
          ['file_size_limit', 'Maximum file size in this bucket', { words: 'upload limit' }],
          ['allowed_mime_types', 'Allowed MIME types', { words: 'content type image' }],
          ['objects_path', 'Folder with files to upload', { words: 'seed' }],
        ]),
      },
    ],
  },
  {
    id: 'realtime',
    group: 'services',
    title: 'Realtime',
    text: 'Database changes, broadcast and presence over WebSocket.',
    words: 'websocket channel subscription',
    parts: [
      {
        settings: under('realtime', [
          ['private_only', 'Reject public channels', { words: 'private authorization' }],
          ['max_concurrent_users', 'Concurrent sockets', { unit: 'sockets', words: 'connections clients' }],
          ['max_channels_per_client', 'Channels per socket', { unit: 'channels' }],
          ['max_payload_size_in_kb', 'Maximum message size', { unit: 'KB', words: 'payload broadcast' }],
        ]),
      },
      {
        title: 'Rates',
        settings: under('realtime', [
          ['max_events_per_second', 'Messages', { unit: 'per second', words: 'events rate limit' }],
          ['max_joins_per_second', 'Joins', { unit: 'per second', words: 'rate limit' }],
          [
            'max_presence_events_per_second',
            'Presence messages',
            { unit: 'per second', words: 'rate limit' },
          ],
          [
            'client_presence_max_calls',
            'Presence calls per channel',
            { unit: 'calls', words: 'track limit' },
          ],
          ['client_presence_window', 'Period for presence calls', { words: 'track limit window' }],
        ]),
      },
      {
        title: 'Memory',
        isRare: true,
        settings: under('realtime', [
          ['max_buffered_per_client', 'Buffer per client', { words: 'slow backpressure' }],
          ['max_buffered', 'Buffer for all clients', { words: 'slow backpressure' }],
          ['max_held_per_client', 'Joins and presence per client'],
          ['max_held', 'Joins and presence of all clients'],
          ['max_waiting_changes', 'Queued database changes', { words: 'replication' }],
          ['max_slot_wal', 'WAL for undelivered changes', { words: 'replication slot disk' }],
        ]),
      },
      {
        title: 'Several servers',
        isRare: true,
        settings: under('realtime', [
          [
            'bus',
            'Share messages through',
            {
              words: 'cluster nats notify scale',
              options: { process: 'Not shared', postgres: 'PostgreSQL NOTIFY', nats: 'NATS server' },
            },
          ],
          ['nats_url', 'NATS servers', { words: 'cluster' }],
        ]),
      },
    ],
  },
  {
    id: 'functions',
    group: 'services',
    title: 'Functions',
    text: 'Edge functions and the requests that they can send.',
    words: 'deno serverless edge',
    parts: [
      {
        settings: under('edge_runtime', [
          [
            'policy',
            'Workers',
            {
              words: 'per_worker oneshot hot reload',
              options: { per_worker: 'Reused for many requests', oneshot: 'A new worker for each request' },
            },
          ],
          [
            'html',
            'HTML responses',
            { words: 'sandbox page', options: { sandbox: 'In a sandbox', page: 'As ordinary pages' } },
          ],
          ['deny_net', 'Blocked addresses', { words: 'network ssrf metadata firewall' }],
        ]),
      },
      {
        title: 'Secrets for all functions',
        text: 'Environment variables that every function receives.',
        names: 'edge_runtime.secrets',
        settings: [['edge_runtime.secrets.*', 'Value', { words: 'environment variable' }]],
      },
      {
        title: 'Functions with their own settings',
        names: 'functions',
        settings: under('functions.*', [
          ['enabled', 'Serve the function'],
          ['verify_jwt', 'Require a valid token', { words: 'jwt auth public' }],
          ['entrypoint', 'Entrypoint file'],
          ['import_map', 'Import map', { words: 'deno.json' }],
          ['static_files', 'Static files', { words: 'assets' }],
        ]),
      },
      {
        title: 'Environment variables of one function',
        names: 'functions.*.env',
        settings: [['functions.*.env.*', 'Value', { words: 'environment variable secret' }]],
      },
      {
        title: 'Development',
        isRare: true,
        settings: under('edge_runtime', [
          ['inspector_port', 'First debugger port', { words: 'devtools inspect' }],
          ['deno_version', 'Deno version of the hosted project', { words: 'runtime' }],
        ]),
      },
    ],
  },
  {
    id: 'jobs',
    group: 'services',
    title: 'Requests from SQL',
    text: 'HTTP requests that SQL sends with pg_net and database webhooks.',
    words: 'jobs webhook cron pg_net',
    parts: [
      {
        settings: [
          ['jobs.private_hosts', 'Allowed private hosts', { words: 'internal network ssrf allowlist' }],
        ],
      },
    ],
  },
];
