import {
  anything,
  boolean,
  files,
  integer,
  list,
  names,
  notYet,
  oneOf,
  optionalPath,
  optionalPort,
  optionalSize,
  optionalText,
  port,
  secret,
  section,
  size,
  text,
} from './define.ts';

const noLogService = { ignored: 'there is no separate log service' };
const oneAddress = { ignored: 'realtime shares the one public port' };

export const realtime = section('Changes, broadcast and presence over WebSocket.', {
  enabled: boolean(true, 'Serves realtime.'),
  ip_version: oneOf('IPv4', ['IPv6'], 'Address family.', oneAddress),
  max_header_length: integer(4096, 'Most bytes of request headers.', { min: 1024 }, oneAddress),
});

export const studio = section('The Console.', {
  enabled: boolean(true, 'Serves the Console.'),
  port: port(54323, 'Port of the Console.'),
  api_url: text('http://127.0.0.1', 'Address of the API as the Console shows it.', {
    ignored: 'the Console shows [api] external_url',
  }),
  openai_api_key: secret('Key of an assistant.', { ignored: 'the Console has no assistant' }),
});

export const localSmtp = section(
  'The inbox that captures mail in development.',
  {
    enabled: boolean(true, 'Captures mail and text messages.'),
    port: port(54324, 'Port of the inbox, in the REST shape of Mailpit.'),
    smtp_port: optionalPort('Port that takes mail from your own programs over SMTP.', notYet),
    pop3_port: optionalPort('Port of POP3.', { ignored: 'the inbox is read over HTTP' }),
    admin_email: text('admin@email.com', 'Sender of captured mail.'),
    sender_name: text('Admin', "Sender's name of captured mail."),
  },
  { alias: 'inbucket' },
);

/** What a name of an analytics or vector bucket holds: nothing. */
const empty = section('Has no settings.', {});

const bucketPattern = /^[\w!\-.*'() &$@=;:+,?]+$/;
const hostedOnly = { ignored: 'has an effect on the hosted service only' };

export const storage = section('Files.', {
  enabled: boolean(true, 'Serves files.'),
  file_size_limit: size(50 * 1024 * 1024, 'Largest file.'),
  s3_protocol: section('The S3 protocol at /storage/v1/s3.', { enabled: boolean(true, 'Serves it.') }),
  image_transformation: section('Resized images.', {
    enabled: boolean(false, 'Transforms images on request.'),
  }),
  buckets: names(
    'NAME',
    'Buckets made at first start and by `seed buckets`.',
    section('One bucket.', {
      public: boolean(false, 'Files can be read without a token.'),
      file_size_limit: optionalSize('Largest file of this bucket.', {
        defaultText: 'the limit of [storage]',
      }),
      allowed_mime_types: list([], 'Content types that may be uploaded; empty allows all.'),
      objects_path: optionalPath('supabase', 'Folder whose files are uploaded to the bucket.'),
    }),
    { pattern: bucketPattern },
  ),
  analytics: section('Analytics buckets.', {
    enabled: boolean(false, 'Offers analytics buckets.', hostedOnly),
    max_namespaces: integer(5, 'Most namespaces.', undefined, hostedOnly),
    max_tables: integer(10, 'Most tables.', undefined, hostedOnly),
    max_catalogs: integer(2, 'Most catalogs.', undefined, hostedOnly),
    buckets: names('NAME', 'Analytics buckets.', empty),
  }),
  vector: section(
    'Vector buckets.',
    {
      enabled: boolean(false, 'Offers vector buckets.'),
      max_buckets: integer(10, 'Most vector buckets.'),
      max_indexes: integer(5, 'Most indexes of a bucket.'),
      buckets: names('NAME', 'Vector buckets.', empty),
    },
    notYet,
  ),
});

export const edgeRuntime = section('The runtime of functions.', {
  enabled: boolean(true, 'Serves functions.'),
  policy: oneOf('per_worker', ['oneshot'], 'A worker for many requests, or a fresh one for each.'),
  inspector_port: port(
    8083,
    'First port of the debuggers of "plinth functions serve"; each function has one.',
  ),
  deno_version: integer(
    2,
    'Major version of Deno on the hosted service; the bundled Deno runs in any case.',
    { min: 1, max: 2 },
  ),
  secrets: names('NAME', 'Environment of every function.', secret('The value.'), { upperCase: true }),
});

export const functions = names(
  'SLUG',
  'Functions that need more than the defaults.',
  section('One function.', {
    enabled: boolean(true, 'Serves the function.'),
    verify_jwt: boolean(true, 'Answers 401 to requests without a valid token.'),
    import_map: optionalPath('supabase', 'deno.json or import map.', {
      defaultText: 'deno.json beside the entrypoint',
    }),
    entrypoint: optionalPath('supabase', 'File that is run.', { defaultText: './functions/SLUG/index.ts' }),
    static_files: files([], 'Globs of files that the function may read, relative to supabase/.'),
    env: names('NAME', 'Environment of this function only.', secret('The value.')),
  }),
  { pattern: /^[A-Za-z][A-Za-z0-9_-]*$/ },
);

export const analytics = section('The log service.', {
  enabled: boolean(true, 'Starts the log service.', noLogService),
  port: port(54327, 'Port of the log service.', noLogService),
  backend: oneOf('postgres', ['bigquery'], 'Where logs are kept.', noLogService),
  vector_port: optionalPort('Port of the collector.', noLogService),
  gcp_project_id: optionalText('Project on Google Cloud.', noLogService),
  gcp_project_number: optionalText("The project's number on Google Cloud.", noLogService),
  gcp_jwt_path: optionalText('Service account key.', noLogService),
});

const noOriole = { ignored: 'the bundled PostgreSQL has its own storage engine only' };

export const experimental = section('What upstream calls experimental.', {
  orioledb_version: optionalText('Version of OrioleDB.', noOriole),
  s3_host: secret('Bucket of OrioleDB.', noOriole),
  s3_region: secret('Region of the bucket.', noOriole),
  s3_access_key: secret('Access key of the bucket.', noOriole),
  s3_secret_key: secret('Secret key of the bucket.', noOriole),
  webhooks: section('Database webhooks.', {
    enabled: boolean(true, 'supabase_functions.http_request() exists in any case.', {
      ignored: 'webhooks are always there',
    }),
  }),
  pgdelta: section('The declarative schema engine.', {
    enabled: boolean(false, 'Uses it for diffs.', { ignored: 'schema_paths decides' }),
    declarative_schema_path: optionalPath('supabase', 'Folder of declarative files.', {
      ignored: 'schema_paths decides',
    }),
    format_options: optionalText('Format of generated SQL, as JSON.', { ignored: 'schema_paths decides' }),
  }),
  inspect: section('Reports on the database.', {
    rules: anything('Rules of the report.', { ignored: 'the report is not here' }),
  }),
});
