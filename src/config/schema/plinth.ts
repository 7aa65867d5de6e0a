/**
 * Our own settings. They are in `supabase/plinth.toml`, because the upstream CLI rejects unknown keys in `config.toml`.
 */
import { hook } from './auth.ts';
import {
  boolean,
  duration,
  integer,
  list,
  oneOf,
  optionalDuration,
  optionalInteger,
  optionalOneOf,
  optionalPath,
  optionalText,
  secret,
  section,
  size,
  text,
} from './define.ts';

/**
 * Link-local addresses, and other addresses of cloud metadata services: AWS and Google over IPv6, Alibaba, Azure,
 * OpenStack, NAT64.
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

export const plinthSchema = section("Plinth's own settings.", {
  branding: section('Branding of the Account pages and emails.', {
    name: optionalText('Product name.', { defaultText: 'the project_id' }),
    logo: optionalText('URL of the logo.'),
    logo_path: optionalPath(
      'supabase',
      'Logo file, as an alternative to `logo`: SVG, PNG, JPEG, WebP or GIF, up to 512 KiB.',
    ),
    color: optionalText('Primary color, for example #0f766e. Contrasting colors are derived from it.'),
    support_url: optionalText('URL of your support page.'),
    terms_url: optionalText('URL of your terms of service.'),
    privacy_url: optionalText('URL of your privacy policy.'),
    welcome: section('Text below the heading of the sign-in and sign-up pages, per language.', {
      en: optionalText('In English.'),
      ar: optionalText('In Arabic.'),
    }),
  }),
  account: section('The Account pages.', {
    languages: list(
      ['en', 'ar'],
      'Languages of the pages: en and ar. The first is the fallback for browsers that prefer other languages.',
    ),
    implicit_return: boolean(
      false,
      "Returns the session in the URL fragment to apps that don't send a PKCE challenge.",
    ),
    captcha_site_key: optionalText(
      "Site key for the provider in auth.captcha. Pages with a form then load the provider's script.",
    ),
    require_mfa: boolean(
      false,
      "Requires a second factor to sign in to an app. Users can't remove their last factor on these pages.",
    ),
    deletion: boolean(
      false,
      'Lets users delete their account on these pages and with DELETE /auth/v1/user. The ON DELETE actions of foreign keys apply to rows that reference the user.',
    ),
    confirm_by_button: boolean(
      false,
      "Links in emails from apps also open a page with a confirmation button, so email scanners that open links don't use them up. If false, opening a link uses it up, as in upstream.",
    ),
  }),
  auth: section(
    "Auth settings that config.toml doesn't have. The names follow upstream's environment variables (`GOTRUE_…`).",
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
            'Sends emails only to these addresses, with or without a +label, for example in a test environment. If empty, all addresses are allowed.',
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
        'Lets responses from `plinth serve` reveal whether an email or phone number has an account, as in upstream. Examples are the interval between messages, a repeated sign-up without identities, and otp_disabled for an unknown address. `plinth start` always behaves this way.',
      ),
      api: section('Auth API.', {
        max_request_duration: duration(10_000, 'Request timeout (status 504).'),
      }),
      sessions: section('Session limits.', {
        single_per_user: boolean(false, 'Keeps only one session per user, the one that was refreshed last.'),
      }),
      hook: section("Hooks that config.toml doesn't have.", {
        after_user_created: hook('Runs after a user is created.'),
        guest_hand_over: hook(
          "Runs when a guest signs in to an existing account. It moves the rows of guest_id to user_id, then the guest is deleted. Without this hook, guests can't keep their data.",
        ),
      }),
      sms: section('Text messages.', {
        twilio: section('Twilio.', {
          content_sid: text(
            '',
            'Approved WhatsApp template. Its first variable is the code. If unset, the message text is sent.',
          ),
        }),
      }),
      saml: section('Single sign-on with SAML 2.0. Use the admin API to add connections.', {
        enabled: boolean(false, 'Enables single sign-on with SAML 2.0.'),
        private_key: secret('RSA key (PKCS #1, base64).', {
          defaultText: 'generated at first use and stored in the data folder',
        }),
        private_key_next: secret(
          'The next key. Its certificate is already in the metadata for identity providers.',
        ),
        allow_encrypted_assertions: boolean(
          false,
          'Accepts encrypted assertions and declares this in the metadata.',
        ),
        relay_state_validity_period: duration(120_000, 'Time limit for a sign-in at the identity provider.'),
        external_url: optionalText('URL of the auth service for identity providers.', {
          defaultText: 'auth.external_url',
        }),
      }),
      oauth_clients_as_users: boolean(
        false,
        'Lets access tokens of OAuth clients use routes that change an account (PUT /user, factors, passkeys, identities), as in upstream.',
      ),
      guess_limits: boolean(
        true,
        'Limits wrong passwords and codes per account and per issued code, across all IP addresses. If false, only limits per IP address apply, as in upstream.',
      ),
      password: section('Passwords.', {
        hibp: section('Rejects passwords that have been leaked.', {
          enabled: boolean(false, 'Checks passwords by the first five characters of their hash.'),
          fail_closed: boolean(
            false,
            'Rejects all passwords while the service is unavailable. If false, they are accepted without a check.',
          ),
          user_agent: text('plinth', 'User-Agent header of the requests.'),
          url: text(
            'https://api.pwnedpasswords.com',
            'URL of a service with the range API of Have I Been Pwned.',
          ),
          list_path: optionalPath(
            'supabase',
            "File with the list of hashes, as written by the Have I Been Pwned downloader (sorted lines of SHA-1 hashes). If set, the service isn't used.",
            { anywhere: true },
          ),
        }),
      }),
    },
  ),
  files: section('Files in settings, such as email templates, seeds and entrypoints.', {
    allowed_folders: list(
      [],
      'Additional folders that can contain these files, relative to the project folder. Example for a monorepo: ../../packages/db.',
    ),
  }),
  server: section('API server.', {
    host: text(
      '127.0.0.1',
      'Address to listen on. Only `plinth serve` can listen on addresses other than loopback.',
    ),
    trusted_proxies: list(
      [],
      'Addresses or blocks (also loopback, linklocal, uniquelocal) of proxies whose X-Forwarded-* headers are trusted. The gateway removes these headers from all other requests.',
    ),
    browser_secret_keys: boolean(
      false,
      'Allows secret keys (`sb_secret_…`, `service_role`) in requests from web pages on other origins. All visitors to such a page can read the key.',
    ),
    max_connections: integer(
      40_000,
      'Maximum number of concurrent connections. Each needs a file descriptor.',
      {
        min: 1,
      },
    ),
    max_connections_per_address: integer(
      5000,
      "Maximum number of concurrent connections per IP address (IPv6: per /64), or of requests and sockets that a trusted proxy forwards for this address. Loopback isn't limited.",
      { min: 1 },
    ),
    header_timeout: duration(
      20_000,
      'Time limit for receiving the first byte of a connection, and the request line and headers of a request.',
    ),
    min_rate: size(
      256,
      "Minimum rate per second at which clients must send a request body or read a response, averaged over a window. Time that the server needs doesn't count. Slower connections are closed.",
    ),
    body_window: duration(
      60_000,
      'The `min_rate` window for request bodies, and the longest pause that a client can make.',
    ),
    answer_window: duration(5 * 60_000, 'The `min_rate` window for responses.'),
    max_anonymous_sockets: integer(
      30_000,
      'Maximum number of concurrent realtime sockets without a signed-in user.',
      { min: 1 },
    ),
    max_anonymous_sockets_per_address: integer(
      200,
      "Maximum number of such sockets per IP address (IPv6: per /64). Loopback isn't limited.",
      { min: 1 },
    ),
    join_timeout: duration(
      10 * 60_000,
      "Closes realtime sockets that haven't joined a channel within this time.",
    ),
  }),
  console: section('The Console, which uses a separate port (`[studio] port`).', {
    url: optionalText(
      'Public URL of the Console, such as https://console.example.com. A proxy must forward it to the port and keep the Host header.',
      { defaultText: 'http://127.0.0.1 with the port' },
    ),
    host: optionalText(
      'Address to listen on. Only `plinth serve` can listen on addresses other than loopback, and it requires `url`.',
      {
        defaultText: '[server] host if that is a loopback address, else 127.0.0.1',
      },
    ),
    require_mfa: boolean(
      false,
      'Requires a second factor for all operators, who set it up at their next sign-in.',
    ),
  }),
  edge_runtime: section('Edge functions.', {
    html: oneOf(
      'sandbox',
      ['page'],
      'How browsers show HTML responses of functions: in a sandbox without scripts, or as pages of this origin, which the Account pages share.',
    ),
    deny_net: list(
      metadataServices,
      "Addresses, IPv4 blocks and hosts that functions can't access, either directly or through a DNS name. The default contains the metadata services of cloud providers, which return credentials.",
    ),
  }),
  database: section('The embedded PostgreSQL. Each of these settings makes it less secure.', {
    shared_password: boolean(
      false,
      "Gives every login role the password of `postgres` and lets `supabase_admin` sign in over TCP, as in upstream's local stack. With --database-url, the roles get the URL's password.",
    ),
    replication: boolean(
      false,
      "Gives the role `postgres` the REPLICATION attribute, as in upstream's local stack, for change data capture tools. The project's SQL can then load a library from any file that PostgreSQL can read, so it can run programs as PostgreSQL's operating system user.",
    ),
    jwt_secret_setting: boolean(
      false,
      'Lets every role read the JWT secret from the setting app.settings.jwt_secret. If false, only `plinth start` sets it, and only to the well-known secret.',
    ),
  }),
  rest: section('The REST service.', {
    connections: integer(4, 'Number of PostgreSQL connections for requests.', { min: 1, max: 100 }),
    max_answer_size: size(
      2 * 1024 * 1024 * 1024,
      'Maximum size of a response. Large responses are buffered in files in the data folder, not in memory.',
    ),
    max_waiting_answers: size(8 * 1024 * 1024 * 1024, 'Maximum total size of buffered responses.'),
    max_request_bodies: size(
      512 * 1024 * 1024,
      'Maximum total memory for large request bodies. Additional requests are rejected until memory is available.',
    ),
  }),
  storage: section('Files.', {
    backend: oneOf(
      'file',
      ['s3'],
      "Where objects are stored: in the data folder, or in an S3 bucket. Changing this setting doesn't move existing objects.",
    ),
    s3: section(
      'S3 bucket for `backend = "s3"`. The names follow upstream\'s environment variables (`STORAGE_S3_…`).',
      {
        bucket: optionalText('Name of the bucket.'),
        endpoint: optionalText('URL of the S3 server.', { defaultText: "Amazon's server for the region" }),
        region: text('us-east-1', 'Region of the bucket.'),
        force_path_style: boolean(false, 'Puts the bucket name in the path instead of the hostname.'),
        access_key_id: optionalText('Access key ID.', {
          defaultText: "from the AWS SDK: AWS_ACCESS_KEY_ID, a profile, or the machine's role",
        }),
        secret_access_key: secret('Secret access key.'),
        prefix: text('', 'Prefix of every object key, so that several projects can share a bucket.'),
      },
    ),
    multipart_lifetime: duration(
      7 * 24 * 60 * 60 * 1000,
      'Aborts incomplete S3 multipart uploads and deletes their parts if no part arrives for this long.',
    ),
    webhook: section(
      'Webhook for objects that are created or removed through the API. Each event is delivered at least once.',
      {
        url: optionalText(
          'URL that receives a POST request. Use HTTPS. HTTP is allowed only for requests to this machine during development. If unset, no events are sent.',
        ),
        api_key: secret('API key, sent as a bearer token.'),
      },
    ),
  }),
  jobs: section('HTTP requests from SQL (pg_net, database webhooks).', {
    private_hosts: list(
      [],
      "Hosts or addresses in private networks that `plinth serve` is allowed to send these requests to. `plinth start` doesn't restrict them.",
    ),
  }),
  realtime: section("Realtime limits. Names follow upstream, and upstream's defaults are in parentheses.", {
    max_concurrent_users: optionalInteger(
      'Maximum number of concurrent sockets (200). If unset, unlimited.',
      { min: 1 },
    ),
    max_events_per_second: optionalInteger(
      'Maximum number of sent and delivered messages per second, averaged over a minute (100). If unset, unlimited.',
      { min: 1 },
    ),
    max_joins_per_second: optionalInteger('Maximum number of joins per second (100). If unset, unlimited.', {
      min: 1,
    }),
    max_channels_per_client: integer(100, 'Maximum number of channels per socket (100).', { min: 1 }),
    max_presence_events_per_second: optionalInteger(
      'Maximum number of presence messages per second, including deliveries (1000). If unset, unlimited.',
      { min: 1 },
    ),
    client_presence_max_calls: integer(1000, 'Maximum number of presence calls per channel and window (5).', {
      min: 1,
    }),
    client_presence_window: duration(30_000, 'The window of client_presence_max_calls.'),
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
      'Maximum amount of data buffered for all clients. Above it, the slowest sockets are closed.',
    ),
    max_held_per_client: size(
      16 * 1024 * 1024,
      'Maximum memory for the joins and presence of a socket, estimated from their text. Above it, the socket is closed.',
    ),
    max_held: size(
      256 * 1024 * 1024,
      'Maximum memory for the joins and presence of all sockets. Above it, the sockets that use the most are closed.',
    ),
    max_waiting_changes: size(
      128 * 1024 * 1024,
      'Maximum size of queued database changes. Above it, PostgreSQL retains newer changes in its WAL.',
    ),
    max_slot_wal: size(
      2 * 1024 * 1024 * 1024,
      'Maximum WAL size that PostgreSQL retains for undelivered changes. Above it, these changes are discarded and subscribers are notified that the stream restarted.',
    ),
    bus: optionalOneOf(
      ['process', 'postgres', 'nats'],
      "How processes on the same database share broadcasts and presence: `process` doesn't share them, `postgres` uses NOTIFY, `nats` uses a NATS server. If unset, `postgres` is used with your own database, and `process` with the embedded one.",
    ),
    nats_url: secret('Addresses of the NATS servers for `bus = "nats"`, separated by commas.'),
  }),
  safe_update: section('Protection against accidental changes to every row.', {
    enabled: boolean(true, 'Rejects PATCH and DELETE requests without a filter.'),
  }),
});
