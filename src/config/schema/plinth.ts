/**
 * Plinth's own settings. They are in `supabase/plinth.toml` because upstream's CLI rejects unknown keys in
 * `config.toml`.
 */
import { keysRead, opened, reasons } from './applies.ts';
import { hook } from './auth.ts';
import {
  boolean,
  duration,
  integer,
  integerOrAuto,
  list,
  live,
  liveSection,
  oneOf,
  optionalBoolean,
  optionalDuration,
  optionalInteger,
  optionalOneOf,
  optionalPath,
  optionalPort,
  optionalSize,
  optionalText,
  restart,
  restartSection,
  secret,
  section,
  size,
  text,
} from './define.ts';

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
const collector = restart('the trace exporter is created at startup');
const connections = restart('connections to PostgreSQL are distributed at startup');
const requestQueue = restart('the request queue is created at startup');
const objectStore = restart('the object store is opened at startup');

export const plinthSchema = section("Plinth's own settings.", {
  branding: liveSection('Branding of the Account pages and emails.', {
    name: optionalText('Product name.', { defaultText: 'the project_id' }),
    logo: optionalText('URL of the logo image.'),
    logo_path: optionalPath(
      'supabase',
      'Logo file, as an alternative to `logo`. The file can be an SVG, PNG, JPEG, WebP or GIF image of up to 512 KiB.',
    ),
    color: optionalText('Primary color, such as #0f766e. Contrasting colors are derived from this color.'),
    support_url: optionalText('URL of your support page.'),
    terms_url: optionalText('URL of your terms of service.'),
    privacy_url: optionalText('URL of your privacy policy.'),
    welcome: section('Text below the heading of the sign-in and sign-up pages, per language.', {
      en: optionalText('Text in English.'),
      ar: optionalText('Text in Arabic.'),
    }),
  }),
  account: liveSection('The Account pages.', {
    languages: list(
      ['en', 'ar'],
      'Languages of the pages: en, ar or both. The first language is used for browsers that prefer other languages.',
    ),
    implicit_return: boolean(
      false,
      "Returns the session in the URL fragment to apps that don't send a PKCE challenge.",
    ),
    captcha_site_key: optionalText(
      "Site key from the CAPTCHA provider in auth.captcha. If set, pages with a form load the provider's script.",
    ),
    sign_in_url: optionalText(
      'Address in your app that starts a sign-in, for example "https://app.example/sign-in". Invitations and "Sign in again" lead there, so that users arrive signed in. Without it, they lead to the address that the app or `site_url` names. The redirect rules must allow it.',
    ),
    require_mfa: boolean(
      false,
      "Requires a second factor when users sign in to an app. Users then can't remove their last factor on these pages.",
    ),
    passkeys_need_second_factor: boolean(
      false,
      'Requires the second factor even if users signed in with a passkey and verified themselves with a PIN or biometrics. If false, such a sign-in reaches assurance level aal2.',
    ),
    deletion: boolean(
      false,
      'Lets users delete their account on these pages and with DELETE /auth/v1/user. The ON DELETE actions of foreign keys apply to rows that reference the user.',
    ),
    confirm_by_button: boolean(
      false,
      "Requires users to click a button after they open a link in an email that an app requested, so that email scanners can't use up the link. If false, a link is used as soon as it is opened, as in upstream.",
    ),
  }),
  auth: liveSection(
    "Auth settings that config.toml doesn't have. Their names correspond to upstream's environment variables (`GOTRUE_…`).",
    {
      external: section('Sign-in methods.', {
        anonymous_users: section('Guests.', {
          lifetime: optionalDuration(
            'Permanently deletes guests when they reach this age, and all rows that reference them with ON DELETE CASCADE. If unset, guests are kept.',
          ),
        }),
        email: section('Email.', {
          authorized_addresses: list(
            [],
            'Sends emails only to these addresses, with or without a +label. This is useful in a test environment. If empty, emails are sent to all addresses.',
          ),
        }),
      }),
      mailer: section('Email checks.', {
        email_validation_extended: boolean(
          false,
          'Rejects reserved email domains (example.com, .test) and domains without a DNS entry.',
        ),
      }),
      reveal_accounts: boolean(
        false,
        'Allows responses from `plinth serve` to reveal whether an email address or phone number belongs to an account, as in upstream. For example, an unknown address then returns otp_disabled. `plinth start` always behaves this way.',
      ),
      api: section('Auth API.', {
        max_request_duration: duration(10_000, 'Request timeout (status 504).'),
      }),
      sessions: section('Session limits.', {
        single_per_user: boolean(
          false,
          'Keeps only one session per user, which is the session that was refreshed last.',
        ),
      }),
      hook: section("Hooks that config.toml doesn't have.", {
        after_user_created: hook('Runs after a user is created.'),
        guest_hand_over: hook(
          "Runs when a guest signs in to an existing account, before the guest is deleted. The hook must move the rows of guest_id to user_id. Without this hook, guests can't keep their data.",
        ),
      }),
      sms: section('Text messages.', {
        twilio: section('Twilio.', {
          content_sid: text(
            '',
            'SID of an approved WhatsApp template whose first variable is the code. If unset, the message text is sent.',
          ),
        }),
      }),
      saml: section(
        'Single sign-on with SAML 2.0. Add connections in the Console, with `plinth sso` or with the admin API.',
        {
          enabled: boolean(false, 'Enables single sign-on with SAML 2.0.'),
          private_key: secret('RSA key (PKCS #1, base64).', {
            defaultText: 'generated at first use and stored in the data folder',
            ...keysRead,
          }),
          private_key_next: secret(
            'Private key that will replace private_key at the next rotation. Its certificate is already published in the SAML metadata, so that identity providers can import it beforehand.',
            keysRead,
          ),
          allow_encrypted_assertions: boolean(
            false,
            'Accepts encrypted assertions and advertises this in the SAML metadata.',
          ),
          enforced_domains: list(
            [],
            'Email domains whose users can sign in only with SSO. "*" includes every domain that has a connection. Passwords, codes, sign-up and other providers are rejected for these domains. Domains without a connection aren\'t affected.',
          ),
          relay_state_validity_period: duration(
            120_000,
            'Time limit for a sign-in at the identity provider.',
          ),
          external_url: optionalText('URL at which identity providers can reach the auth service.', {
            defaultText: 'auth.external_url',
          }),
        },
      ),
      oauth_clients_as_users: boolean(
        false,
        'Allows OAuth clients to change an account with their access tokens (PUT /user, factors, passkeys, identities), as in upstream.',
      ),
      guess_limits: boolean(
        true,
        'Limits wrong passwords and codes per account and per issued code, across all IP addresses. If false, only limits per IP address apply, as in upstream.',
      ),
      security: section('What users see of the security of their account.', {
        notices: optionalOneOf(
          ['always', 'account', 'configured'],
          'Security notices that are emailed although `[auth.email.notification]` in config.toml does not enable them. `always`: all notices. `account`: only notices of changes and sign-ins on the Account pages. `configured`: none.',
          { defaultText: '`always` with `plinth serve`, `account` with `plinth start`' },
        ),
        confirm_new_devices: boolean(
          false,
          'Requires a code by email when users with a confirmed email address sign in with a password on a device that they have not used before. Clients other than the Account pages receive the error device_not_confirmed and must then sign in with the code.',
        ),
        lockout: section(
          'Growing waits after wrong passwords and codes in a row, per account and network. Browsers in which the user has signed in are counted separately. The limits of `guess_limits` apply in addition.',
          {
            after: integer(
              10,
              'Number of wrong attempts in a row after which the first wait begins. 0 disables the waits.',
            ),
            first_wait: duration(30_000, 'First wait. Every further wrong attempt doubles it.'),
            max_wait: duration(60 * 60_000, 'Longest wait.'),
          },
        ),
        undo_period: duration(7 * 24 * 60 * 60_000, `How long the "This wasn't me" link in a notice works.`),
        factor_removal_wait: duration(
          0,
          'Waiting period after which the second factors of users who have lost them are removed, such as "72h". Users request the removal after signing in with a password, a provider or a wallet, and confirm it by email. Any use of a second factor cancels the request. 0 turns requests off and cancels those that are waiting, so that only operators can remove second factors.',
        ),
        event_retention: duration(
          365 * 24 * 60 * 60_000,
          "Time after which entries in the timeline of an account are deleted, and devices are forgotten that weren't used. At least as long as `undo_period`.",
        ),
      }),
      password: section('Passwords.', {
        hibp: section('Rejects passwords that have been leaked.', {
          enabled: optionalBoolean(
            "Checks passwords against the list in `list_path`. Without a list, checks them with a service that receives only the first five characters of a password's hash.",
            { defaultText: 'true if the list is present, so that no service is used unless you enable it' },
          ),
          fail_closed: boolean(
            false,
            'Rejects all passwords while the service is unavailable. If false, they are accepted without a check.',
          ),
          user_agent: text('plinth', 'User-Agent header of requests to the service.'),
          url: text(
            'https://api.pwnedpasswords.com',
            'URL of a service with the range API of Have I Been Pwned.',
          ),
          list_path: optionalPath(
            'supabase',
            'File of sorted SHA-1 hashes, one per line, in the format that the Have I Been Pwned downloader (`haveibeenpwned-downloader`) writes. If the file is present, passwords are checked with it instead of the service.',
            { anywhere: true, defaultText: 'supabase/leaked-passwords.txt, if that file exists' },
          ),
        }),
      }),
    },
  ),
  log: liveSection('The log of `plinth start` and `plinth serve`.', {
    to: oneOf(
      'files',
      ['stdout', 'both'],
      'Where log lines are written: to files in `.plinth/logs`, to standard output, or both. Without files, the Console shows only lines that are still in memory.',
      restart('log files are opened at startup'),
    ),
    format: oneOf('json', ['logfmt'], 'Format of log lines on standard output. Files always contain JSON.'),
    level: oneOf('info', ['debug', 'warn', 'error'], 'Minimum level of the lines to log.'),
    max_size: size(
      72 * 1024 * 1024,
      'Maximum total size of the log files. The oldest lines are deleted first.',
    ),
    max_age: duration(
      14 * 24 * 60 * 60 * 1000,
      'Maximum time since the last write to a full log file. Older files are deleted.',
    ),
  }),
  telemetry: section('Traces for an OpenTelemetry collector.', {
    otlp_endpoint: optionalText(
      'Base URL of the collector for OTLP over HTTP, for example "http://127.0.0.1:4318". Each request becomes a span, and each of its SQL statements becomes a child span without parameter values.',
      collector,
    ),
    otlp_headers: secret(
      'Additional headers for the collector, as "name=value" separated by commas, as in OTEL_EXPORTER_OTLP_HEADERS.',
      collector,
    ),
    sampling: integer(
      100,
      'Percentage of traces that are exported. The decision applies to all requests of a trace.',
      { max: 100 },
      live,
    ),
    trust_incoming: oneOf(
      'none',
      ['proxies', 'all'],
      'Callers whose traceparent header decides whether a request is traced, instead of `sampling`. `proxies`: those in [server] trusted_proxies, which must replace the header that their clients send. `all`: all callers, which suits a private network.',
      live,
    ),
  }),
  files: section('Files in settings, such as email templates, seeds and entrypoints.', {
    allowed_folders: list(
      [],
      'Additional folders that can contain these files, relative to the project folder. In a monorepo, this could be ../../packages/db.',
      live,
    ),
  }),
  server: liveSection('API server.', {
    host: text(
      '127.0.0.1',
      'Address to listen on. Only `plinth serve` can listen on addresses other than loopback.',
      opened,
    ),
    watch_config: boolean(
      false,
      'Applies changed settings files without `plinth reload`. `plinth start` always does this. With `plinth serve`, this can apply a half-edited file.',
    ),
    trusted_proxies: list(
      [],
      'Addresses or address blocks of proxies whose X-Forwarded-* headers are trusted. The names loopback, linklocal and uniquelocal are also allowed. The gateway removes these headers from all other requests.',
    ),
    browser_secret_keys: boolean(
      false,
      'Allows secret keys (`sb_secret_…`, `service_role`) in requests from web pages on other origins. Every visitor to such a page can read the key.',
    ),
    max_connections: optionalInteger(
      'Maximum number of concurrent connections. Each connection needs a file descriptor, so the number is lowered if the process can open too few files.',
      { min: 1 },
      { defaultText: '40000, or less if the machine or container has less memory (64 KiB each)' },
    ),
    max_connections_per_address: integer(
      5000,
      "Maximum number of concurrent connections per IP address (IPv6: per /64). For clients behind a trusted proxy, the requests and sockets that it forwards are counted instead. Connections from loopback addresses aren't limited.",
      { min: 1 },
    ),
    drain: duration(
      1000,
      "How long `plinth serve` continues to accept connections after it receives a stop signal. During this time, `/health/ready` responds with 503. Set the time to the interval of the load balancer's health checks, so that the load balancer stops sending requests before the port is closed.",
    ),
    header_timeout: duration(
      20_000,
      'Time limit for receiving the first byte on a connection, and for receiving the request line and headers of a request.',
      restart('Node.js reads it when a port is opened'),
    ),
    min_rate: size(
      256,
      "Minimum number of bytes per second that a client must send in a request body or read from a response, averaged over a window. Time that the client spends waiting for the server isn't counted. Slower connections are closed.",
    ),
    body_window: duration(
      60_000,
      "Window over which the rate of a request body is averaged for `min_rate`. A client can't pause for longer than this window.",
    ),
    answer_window: duration(
      5 * 60_000,
      'Window over which the rate of a response is averaged for `min_rate`.',
    ),
    max_wait: duration(
      1000,
      'Maximum expected wait before a request starts while more requests arrive than one CPU core can process. A request that would wait longer receives 503 immediately. WebSocket connections can wait longer.',
      requestQueue,
    ),
    max_waiting: integer(
      10_000,
      'Maximum number of requests that are waiting to start, and of WebSocket connections that are waiting. If more arrive, the client with the most waiting requests receives 503.',
      { min: 1 },
      requestQueue,
    ),
    workers: integerOrAuto(
      1,
      'Number of processes that serve the API port of `plinth serve`. `auto` uses one per available CPU core. With 1, a single process does everything. The limits in `[rest]` and `[server]` apply to all processes together.',
      { min: 1, max: 64 },
      restart('the processes are started with the server'),
    ),
    max_anonymous_sockets: integer(
      30_000,
      'Maximum number of concurrent realtime sockets without a signed-in user.',
      { min: 1 },
    ),
    max_anonymous_sockets_per_address: integer(
      200,
      "Maximum number of concurrent realtime sockets without a signed-in user per IP address (IPv6: per /64). Sockets from loopback addresses aren't limited.",
      { min: 1 },
    ),
    join_timeout: duration(
      10 * 60_000,
      'Time within which a realtime socket must join a channel. After this time, the socket is closed.',
    ),
    tls: restartSection(
      reasons.opened,
      'HTTPS on the ports of the API and the Console of `plinth serve`. Takes precedence over `[api.tls]`.',
      {
        cert: optionalPath(
          'supabase',
          'Certificate file (PEM) with the whole chain. A changed file is loaded without a restart.',
          { anywhere: true },
        ),
        key: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
        http_port: optionalPort(
          'Port for unencrypted HTTP, which redirects to HTTPS and responds to ACME challenges.',
          { defaultText: '80 with `acme`. Otherwise, the port is not opened' },
        ),
        hsts: duration(
          365 * 24 * 60 * 60_000,
          'How long browsers use only HTTPS after a visit (Strict-Transport-Security). `0s` omits the header.',
        ),
        acme: section(
          'Certificates that are obtained and renewed automatically (ACME). The ACME server must reach `http_port` of every domain as port 80.',
          {
            domains: list(
              [],
              'Domains of this server, for example api.example.com and console.example.com. Each receives a separate certificate. If empty, ACME is off.',
            ),
            email: optionalText('Contact address for the ACME server.'),
            directory: text(
              'https://acme-v02.api.letsencrypt.org/directory',
              "Directory URL of the ACME server. The default is Let's Encrypt.",
            ),
            accept_terms: boolean(
              false,
              "Accepts the ACME server's terms of service. Required, because otherwise the ACME server doesn't issue certificates.",
            ),
            eab: section(
              'External account binding, which connects the ACME account with your account at a certificate authority such as ZeroSSL or Google Trust Services.',
              {
                kid: optionalText('Key ID from the certificate authority.'),
                hmac_key: secret('HMAC key from the certificate authority, encoded as base64url.'),
              },
            ),
          },
        ),
      },
    ),
  }),
  console: section('The Console, which uses a separate port (`[studio] port`).', {
    url: optionalText(
      "Public URL of the Console, such as https://console.example.com. A proxy must forward requests for this URL to the Console's port and keep the Host header. Without a proxy, include the port unless it is 443.",
      { defaultText: 'http(s)://127.0.0.1 with the port', ...opened },
    ),
    host: optionalText(
      'Address to listen on. Only `plinth serve` can listen on addresses other than loopback, and only if `url` is set.',
      {
        defaultText: '[server] host if that is a loopback address, else 127.0.0.1',
        ...opened,
      },
    ),
    require_mfa: boolean(
      false,
      'Requires a second factor for all operators, who set it up at their next sign-in.',
      live,
    ),
    tls: restartSection(
      reasons.opened,
      'A separate certificate for the Console, in addition to `[server.tls]` with `cert`.',
      {
        cert: optionalPath('supabase', 'Certificate file (PEM) with the whole chain.', { anywhere: true }),
        key: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
      },
    ),
  }),
  edge_runtime: liveSection('Edge functions.', {
    html: oneOf(
      'sandbox',
      ['page'],
      'How browsers show HTML responses from functions: in a sandbox without scripts, or as ordinary pages. Ordinary pages have the same origin as the Account pages.',
    ),
    deny_net: list(
      metadataServices,
      "Addresses, IPv4 blocks and hosts that functions can't access, either directly or through a DNS name. By default, the list contains the metadata services of cloud providers, because these return credentials.",
    ),
  }),
  database: restartSection(
    'the database logins are set up at startup',
    'PostgreSQL. The last three settings make it less secure.',
    {
      pool_connections: optionalInteger(
        'Number of PostgreSQL connections for each service except REST. One connection is always kept free, so that neither a single client nor all anonymous clients together can use all of them.',
        { min: 1, max: 100 },
        { defaultText: '1 per 128 MiB of memory, at least 2 and at most 5', ...connections },
      ),
      pool_max_waiting: integer(
        1000,
        'Maximum number of requests that are waiting for a connection of the same service. Further requests receive 503.',
        { min: 1 },
        connections,
      ),
      reserved_space: optionalSize(
        "Minimum free space on the disk of the data folder. Below this limit, the database is read-only, so that PostgreSQL doesn't stop. Writes are accepted again as soon as enough space is free.",
        { defaultText: '5% of the disk, at least 48 MiB and at most 1 GiB', ...live },
      ),
      shared_password: boolean(
        false,
        "Gives every login role the password of `postgres` and lets `supabase_admin` sign in over TCP, as in upstream's local stack. With --database-url, the roles get the URL's password.",
      ),
      replication: boolean(
        false,
        "Gives the `postgres` role the REPLICATION attribute, as in upstream's local stack, for change data capture tools. The project's SQL can then load a library from any file that PostgreSQL can read, so it can run programs as PostgreSQL's operating system user.",
      ),
      jwt_secret_setting: boolean(
        false,
        'Lets every role read the JWT secret from the PostgreSQL setting app.settings.jwt_secret. If false, only `plinth start` provides this setting, and only if the secret is the well-known one.',
      ),
    },
  ),
  rest: liveSection('The REST service.', {
    connections: integer(
      4,
      'Number of PostgreSQL connections that fast reads share. Several reads can be in progress on each.',
      { min: 1, max: 100 },
      connections,
    ),
    exclusive_connections: optionalInteger(
      'Number of PostgreSQL connections for all other requests, each of which uses one exclusively.',
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
    max_waiting_slow: integer(100, '`max_waiting` for slow requests.', { min: 1 }, connections),
    max_wait_slow: duration(10_000, '`max_wait` for slow requests.', connections),
    max_answer_size: size(
      2 * 1024 * 1024 * 1024,
      'Maximum size of a response. Large responses are buffered in files in the data folder, not in memory.',
    ),
    max_waiting_answers: size(8 * 1024 * 1024 * 1024, 'Maximum total size of buffered responses.'),
    max_request_bodies: optionalSize(
      'Maximum total memory for large request bodies. Additional requests are rejected until memory is available.',
      { defaultText: '512MiB, or an eighth of the memory of the machine or container if that is less' },
    ),
  }),
  storage: section('Files.', {
    backend: oneOf(
      'file',
      ['s3'],
      "Where objects are stored: in the data folder, or in an S3 bucket. Changing this setting doesn't move existing objects.",
      objectStore,
    ),
    s3: section(
      'S3 bucket for `backend = "s3"`. Its settings are named after upstream\'s environment variables (`STORAGE_S3_…`).',
      {
        bucket: optionalText('Name of the bucket.'),
        endpoint: optionalText('URL of the S3 server.', { defaultText: "Amazon's server for the region" }),
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
    multipart_lifetime: duration(
      7 * 24 * 60 * 60 * 1000,
      'Maximum time between two parts of an S3 multipart upload. After this time, the upload is aborted and its parts are deleted.',
      live,
    ),
    webhook: section(
      'Webhook for objects that are created or removed through the API. Each event is delivered at least once.',
      {
        url: optionalText(
          'URL that receives a POST request for each event. The URL must use HTTPS, except for this machine during development. If unset, no events are sent.',
        ),
        api_key: secret('API key, sent as a bearer token.'),
      },
      restart('the event sender is created at startup'),
    ),
  }),
  backup: restartSection(
    'the backup target is opened at startup',
    'Backups of the embedded database, the objects, `supabase/` and the keys.',
    {
      to: optionalText(
        'Backup target, which is a folder or `s3://bucket/prefix`. For S3 servers other than Amazon S3, append `?endpoint=https://…&region=…`. If unset, no backups are created.',
      ),
      encryption_key: secret(
        'Key of 32 bytes in hexadecimal or base64 that encrypts backups, for example from `openssl rand -hex 32`. Keep a copy in another location. Without it, no backup can be restored.',
      ),
      schedule: text('0 3 * * *', 'Schedule of base backups, as a cron expression in UTC.', live),
      keep: duration(
        14 * 24 * 60 * 60 * 1000,
        'How far back you can restore. Backups from before this period, and objects that were deleted before it, are removed.',
        live,
      ),
      wal: boolean(
        true,
        'Archives changes continuously. You can then restore to any time, and a failure loses at most two seconds of changes. If false, only the base backups can be restored.',
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
  ),
  jobs: section('HTTP requests from SQL (pg_net, database webhooks).', {
    private_hosts: list(
      [],
      "Hosts or addresses in private networks to which `plinth serve` is allowed to send these requests. `plinth start` doesn't restrict the destinations.",
      live,
    ),
  }),
  realtime: section(
    "Realtime limits. The names are upstream's, and the numbers in parentheses are upstream's defaults.",
    {
      max_concurrent_users: optionalInteger(
        'Maximum number of concurrent sockets (200). If unset, unlimited.',
        { min: 1 },
      ),
      max_events_per_second: optionalInteger(
        'Maximum number of messages sent and delivered per second, averaged over a minute (100). If unset, unlimited.',
        { min: 1 },
      ),
      max_joins_per_second: optionalInteger(
        'Maximum number of joins per second (100). If unset, unlimited.',
        {
          min: 1,
        },
      ),
      max_channels_per_client: integer(100, 'Maximum number of channels per socket (100).', { min: 1 }),
      max_presence_events_per_second: optionalInteger(
        'Maximum number of presence messages sent and delivered per second (1000). If unset, unlimited.',
        { min: 1 },
      ),
      client_presence_max_calls: integer(
        1000,
        'Maximum number of presence calls per channel within client_presence_window (5).',
        {
          min: 1,
        },
      ),
      client_presence_window: duration(
        30_000,
        'Period over which presence calls are counted for client_presence_max_calls.',
      ),
      max_payload_size_in_kb: integer(3000, 'Maximum size of a message, in kilobytes of 1000 bytes (3000).', {
        min: 1,
        max: 4900,
      }),
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
        "How processes on the same database share broadcasts and presence: `process` doesn't share them, `postgres` uses NOTIFY, `nats` uses a NATS server. If unset, `postgres` is used with your own database, and `process` with the embedded one.",
        bus,
      ),
      nats_url: secret('Addresses of the NATS servers for `bus = "nats"`, separated by commas.', bus),
    },
    live,
  ),
  safe_update: section('Protection against accidental changes to every row.', {
    enabled: boolean(true, 'Rejects PATCH and DELETE requests without a filter.', live),
  }),
});
