import {
  anything,
  boolean,
  files,
  integer,
  list,
  live,
  liveSection,
  mounted,
  names,
  notYet,
  oneOf,
  opened,
  optionalBoolean,
  optionalPath,
  optionalPort,
  optionalSize,
  optionalText,
  port,
  reasons,
  restart,
  restartSection,
  secret,
  section,
  size,
  text,
} from './define.ts';

export const api = section('The public port and the REST service.', {
  enabled: boolean(true, 'Serves the REST API.', mounted),
  port: port(54321, 'Port for all HTTP services.', opened),
  external_url: optionalText('Public URL of the API.', {
    defaultText: 'http(s)://127.0.0.1:PORT',
    ...restart('tokens, certificates and functions contain the URL'),
  }),
  schemas: list(
    ['public', 'graphql_public'],
    'Schemas exposed over REST. The first schema is the default for requests. An empty list means the schema public.',
    live,
  ),
  extra_search_path: list(
    ['public', 'extensions'],
    'Additional schemas in the search path of every request.',
    live,
  ),
  max_rows: integer(1000, 'Maximum number of rows in a response.', undefined, live),
  auto_expose_new_tables: optionalBoolean(
    'If disabled, anon, authenticated and service_role need a GRANT to access new tables in public.',
    { defaultText: 'true', ...live },
  ),
  tls: restartSection(reasons.opened, 'HTTPS on the public port and on the port of the Console.', {
    enabled: boolean(
      false,
      'Serves HTTPS. Without cert_path and key_path, a self-signed certificate is generated when the server first starts and stored in `.plinth/tls`.',
    ),
    cert_path: optionalPath('supabase', 'Certificate file (PEM) with the full chain.', { anywhere: true }),
    key_path: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
  }),
});

const noLogService = { ignored: 'Plinth has no separate log service' };
const oneAddress = { ignored: 'Realtime shares the public port' };

export const realtime = section('Database changes, broadcast and presence over WebSocket.', {
  enabled: boolean(true, 'Serves realtime.', mounted),
  ip_version: oneOf('IPv4', ['IPv6'], 'Address family.', oneAddress),
  max_header_length: integer(4096, 'Maximum size of request headers, in bytes.', { min: 1024 }, oneAddress),
});

export const studio = section('The Console.', {
  enabled: boolean(true, 'Serves the Console.', mounted),
  port: port(54323, 'Port of the Console.', opened),
  api_url: text('http://127.0.0.1', 'API URL that the Console shows.', {
    ignored: 'the Console shows [api] external_url',
  }),
  openai_api_key: secret('API key of the assistant.', { ignored: 'the Console has no assistant' }),
});

export const localSmtp = section(
  'The inbox for captured emails in development.',
  {
    enabled: boolean(true, 'Captures emails and text messages.', mounted),
    port: port(54324, 'Port of the inbox, with a Mailpit-compatible REST API.', opened),
    smtp_port: optionalPort('SMTP port for emails from your own programs.', notYet),
    pop3_port: optionalPort('POP3 port.', { ignored: 'the inbox is available over HTTP' }),
    admin_email: text('admin@email.com', 'Sender address of captured emails.'),
    sender_name: text('Admin', 'Sender name of captured emails.'),
  },
  { alias: 'inbucket', ...live },
);

/** The table of an analytics or vector bucket. The table has no settings. */
const empty = section('Has no settings.', {});

const bucketPattern = /^[\w!\-.*'() &$@=;:+,?]+$/;
const hostedOnly = { ignored: 'this setting applies only to the hosted service' };

export const storage = liveSection('Files.', {
  enabled: boolean(true, 'Serves files.', mounted),
  file_size_limit: size(50 * 1024 * 1024, 'Maximum file size.'),
  s3_protocol: section('S3 protocol at /storage/v1/s3.', {
    enabled: boolean(true, 'Enables the S3 protocol.', mounted),
  }),
  image_transformation: section('Image transformation.', {
    enabled: boolean(true, 'Transforms images when clients request it.', mounted),
  }),
  buckets: names(
    'NAME',
    'Buckets that are created when the server first starts and by `seed buckets`.',
    section('A bucket.', {
      public: boolean(false, 'Lets clients read files without a token.'),
      file_size_limit: optionalSize('Maximum file size in this bucket.', {
        defaultText: 'file_size_limit in [storage]',
      }),
      allowed_mime_types: list([], 'Allowed MIME types. An empty list allows all types.'),
      objects_path: optionalPath('supabase', 'Folder with files to upload to the bucket.'),
    }),
    { pattern: bucketPattern },
  ),
  analytics: section('Analytics buckets.', {
    enabled: boolean(false, 'Enables analytics buckets.', hostedOnly),
    max_namespaces: integer(5, 'Maximum number of namespaces.', undefined, hostedOnly),
    max_tables: integer(10, 'Maximum number of tables.', undefined, hostedOnly),
    max_catalogs: integer(2, 'Maximum number of catalogs.', undefined, hostedOnly),
    buckets: names('NAME', 'Analytics buckets.', empty),
  }),
  vector: section(
    'Vector buckets.',
    {
      enabled: boolean(false, 'Enables vector buckets.'),
      max_buckets: integer(10, 'Maximum number of vector buckets.'),
      max_indexes: integer(5, 'Maximum number of indexes per bucket.'),
      buckets: names('NAME', 'Vector buckets.', empty),
    },
    notYet,
  ),
});

export const edgeRuntime = liveSection('The edge function runtime.', {
  enabled: boolean(true, 'Serves functions.', mounted),
  policy: oneOf('per_worker', ['oneshot'], 'Whether a worker processes many requests or only one.'),
  inspector_port: port(
    8083,
    'First debugger port of `plinth functions serve`. Each function uses a separate port, starting with this port.',
  ),
  deno_version: integer(2, 'Deno major version on the hosted service. Plinth always runs the bundled Deno.', {
    min: 1,
    max: 2,
  }),
  secrets: names('NAME', 'Environment variables that every function receives.', secret('Value.'), {
    upperCase: true,
  }),
});

export const functions = names(
  'SLUG',
  'Functions with settings that differ from the defaults.',
  liveSection('A function.', {
    enabled: boolean(true, 'Serves the function.'),
    verify_jwt: boolean(true, 'Rejects requests without a valid token (401).'),
    import_map: optionalPath('supabase', 'Path to deno.json or to an import map.', {
      defaultText: 'deno.json beside the entrypoint',
    }),
    entrypoint: optionalPath('supabase', 'Entrypoint file.', { defaultText: './functions/SLUG/index.ts' }),
    static_files: files([], 'Glob patterns of files that the function can read, relative to supabase/.'),
    env: names('NAME', 'Environment variables of this function.', secret('Value.')),
  }),
  { pattern: /^[A-Za-z][A-Za-z0-9_-]*$/ },
);

export const analytics = section('The log service.', {
  enabled: boolean(true, 'Starts the log service.', noLogService),
  port: port(54327, 'Port of the log service.', noLogService),
  backend: oneOf('postgres', ['bigquery'], 'Log storage.', noLogService),
  vector_port: optionalPort('Collector port.', noLogService),
  gcp_project_id: optionalText('Project on Google Cloud.', noLogService),
  gcp_project_number: optionalText('Project number on Google Cloud.', noLogService),
  gcp_jwt_path: optionalText('Service account key file.', noLogService),
});

const noOriole = { ignored: 'the bundled PostgreSQL has only the default storage engine' };

export const experimental = section('Settings that upstream marks as experimental.', {
  orioledb_version: optionalText('Version of OrioleDB.', noOriole),
  s3_host: secret('Bucket of OrioleDB.', noOriole),
  s3_region: secret('Region of the bucket.', noOriole),
  s3_access_key: secret('Access key of the bucket.', noOriole),
  s3_secret_key: secret('Secret key of the bucket.', noOriole),
  webhooks: section('Database webhooks.', {
    enabled: boolean(true, 'Enables database webhooks that call supabase_functions.http_request().', {
      ignored: 'webhooks are always enabled',
    }),
  }),
  pgdelta: section('The declarative schema engine.', {
    enabled: boolean(false, 'Uses this engine for diffs.', { ignored: 'schema_paths applies instead' }),
    declarative_schema_path: optionalPath('supabase', 'Folder of declarative files.', {
      ignored: 'schema_paths applies instead',
    }),
    format_options: optionalText('Formatting options for generated SQL, as JSON.', {
      ignored: 'schema_paths applies instead',
    }),
  }),
  inspect: section('Reports on the database.', {
    rules: anything('Rules of the report.', { ignored: "Plinth doesn't include this report" }),
  }),
});
