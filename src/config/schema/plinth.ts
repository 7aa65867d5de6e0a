/** Our own settings, in `supabase/plinth.toml`: `config.toml` never gains a key that the upstream CLI refuses. */
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

/** Link-local addresses, and what else clouds answer on: AWS and Google over IPv6, Alibaba, Azure, OpenStack, NAT64. */
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
  branding: section('How the Account pages and mails look.', {
    name: optionalText('Name of the product.', { defaultText: 'the project_id' }),
    logo: optionalText('Address of the logo.'),
    logo_path: optionalPath(
      'supabase',
      'The logo as a file, instead of an address: SVG, PNG, JPEG, WebP or GIF of at most 512 KiB.',
    ),
    color: optionalText('Main colour, for example #0f766e; contrast is computed from it.'),
    support_url: optionalText('Where users find help.'),
    terms_url: optionalText('Terms of service.'),
    privacy_url: optionalText('Privacy policy.'),
    welcome: section('A sentence below the heading of sign-in and sign-up, by language.', {
      en: optionalText('In English.'),
      ar: optionalText('In Arabic.'),
    }),
  }),
  account: section('The Account pages.', {
    languages: list(
      ['en', 'ar'],
      'Languages that the pages offer, of en and ar; the first is for browsers that wish for none of them.',
    ),
    implicit_return: boolean(
      false,
      'An app that sends no PKCE challenge gets its session in the fragment of the address it is returned to.',
    ),
    captcha_site_key: optionalText(
      'Public key of the site at the provider of auth.captcha; its script is then loaded on pages that send a form.',
    ),
    require_mfa: boolean(
      false,
      'Nobody returns to an app without a second factor, and the last one cannot be removed on these pages.',
    ),
    deletion: boolean(
      false,
      'Users may delete their account, on these pages and with DELETE /auth/v1/user. Rows that refer to them go as their foreign keys say.',
    ),
    confirm_by_button: boolean(
      false,
      "Links in the mails of apps, too, lead to a page whose button uses them: a mail scanner that opens links uses none up. Else they are used when opened, as upstream's.",
    ),
  }),
  auth: section(
    "Sign-in beyond what config.toml knows, in the names of upstream's environment (`GOTRUE_…`).",
    {
      external: section('Ways to sign in.', {
        anonymous_users: section('Guests.', {
          lifetime: optionalDuration(
            'Guests older than this are deleted, with all that refers to them. Unset: never.',
          ),
        }),
        email: section('By email.', {
          authorized_addresses: list(
            [],
            'Mail goes to these addresses alone, with or without a +label; empty: to everybody. For a test stage.',
          ),
        }),
      }),
      mailer: section('Mail.', {
        email_validation_extended: boolean(
          false,
          'No mail goes to reserved domains (example.com, .test) and to domains that DNS does not know.',
        ),
      }),
      reveal_accounts: boolean(
        false,
        'plinth serve shows in its responses who has an account, as upstream: the pause between two messages to an address, a repeated sign-up without identities, otp_disabled for an unknown address. plinth start always does.',
      ),
      api: section('The service itself.', {
        max_request_duration: duration(10_000, 'A request that takes longer is given up (504).'),
      }),
      sessions: section('Ends of sessions.', {
        single_per_user: boolean(false, 'Only the session of a user that was refreshed last goes on.'),
      }),
      hook: section('Hooks that config.toml does not know.', {
        after_user_created: hook('After a user was made.'),
        guest_hand_over: hook(
          'When a guest signs in to an account there is already: gives the rows of guest_id to user_id; then the guest is deleted. Off: nothing can be brought along.',
        ),
      }),
      sms: section('Text messages.', {
        twilio: section('Twilio.', {
          content_sid: text(
            '',
            'The approved template for WhatsApp; its first variable is the code. Unset: the text itself.',
          ),
        }),
      }),
      saml: section('Single sign-on with SAML 2.0; connections are added through the admin API.', {
        enabled: boolean(false, 'Offers it.'),
        private_key: secret('RSA key in PKCS#1 form, as base64.', {
          defaultText: 'made at first use and kept in the data folder',
        }),
        private_key_next: secret('The key that will replace it, told to identity providers beforehand.'),
        allow_encrypted_assertions: boolean(
          false,
          'Takes encrypted assertions, and says so in the metadata.',
        ),
        relay_state_validity_period: duration(
          120_000,
          'How long a sign-in at the identity provider may take.',
        ),
        external_url: optionalText('Address of the auth service, as identity providers know it.', {
          defaultText: 'auth.external_url',
        }),
      }),
      oauth_clients_as_users: boolean(
        false,
        'Access tokens of OAuth clients open the routes that change an account (PUT /user, factors, passkeys, identities), as upstream.',
      ),
      guess_limits: boolean(
        true,
        'Limits wrong passwords and codes by account and by issued code, from all addresses together. Off: by address only, as upstream.',
      ),
      password: section('Passwords.', {
        hibp: section('Passwords that are known from leaks are refused.', {
          enabled: boolean(false, 'Asks, by the first five characters of a hash.'),
          fail_closed: boolean(
            false,
            'Refuses every password while nobody can say; else they are let through.',
          ),
          user_agent: text('plinth', 'Who asks.'),
          url: text('https://api.pwnedpasswords.com', 'A service with the range API of Have I Been Pwned.'),
          list_path: optionalPath(
            'supabase',
            'The list itself instead, as its downloader writes it: sorted lines of SHA-1 hashes. No one else is asked.',
            { anywhere: true },
          ),
        }),
      }),
    },
  ),
  files: section('Files that settings name: mail templates, seeds, entrypoints and the like.', {
    allowed_folders: list(
      [],
      'Folders besides the project folder that they may lie in, relative to it; for a monorepo, for example ../../packages/db.',
    ),
  }),
  server: section('The port of the API.', {
    host: text('127.0.0.1', 'Address to listen on; beyond loopback only `plinth serve` does.'),
    trusted_proxies: list(
      [],
      'Addresses or blocks (also loopback, linklocal, uniquelocal) of proxies whose X-Forwarded-* headers are believed. From anyone else the gateway removes such headers.',
    ),
    browser_secret_keys: boolean(
      false,
      'Secret keys (`sb_secret_…`, `service_role`) work in web pages of other origins too. Everyone who opens such a page then has the key.',
    ),
    max_connections: integer(40_000, 'Connections at a time; each needs a file descriptor of the process.', {
      min: 1,
    }),
    max_connections_per_address: integer(
      5000,
      'Connections at a time from one address (IPv6: one /64), or as many requests and sockets that a trusted proxy forwards for it. Loopback is not counted.',
      { min: 1 },
    ),
    header_timeout: duration(
      20_000,
      'For address and headers of a request, and the first byte on a connection.',
    ),
    min_rate: size(
      256,
      'Bytes a second that a request body must bring, and that an answer must be read with, on average over a window in which only the client is waited for. Slower ones are given up.',
    ),
    body_window: duration(60_000, 'That window for bodies. A pause of a client may take as long.'),
    answer_window: duration(5 * 60_000, 'That window for answers.'),
    max_anonymous_sockets: integer(
      30_000,
      'Realtime sockets at a time on which no user has signed in: with the publishable key alone.',
      { min: 1 },
    ),
    max_anonymous_sockets_per_address: integer(
      200,
      'The same from one address (IPv6: one /64). Loopback is not counted.',
      { min: 1 },
    ),
    join_timeout: duration(
      10 * 60_000,
      'A realtime socket that has joined no channel for this long is closed.',
    ),
  }),
  console: section('The Console, on a port of its own: `[studio] port`.', {
    url: optionalText(
      'Its public address, for example https://console.example.com: of a proxy that passes it on to the port, with the Host header as it came.',
      { defaultText: 'http://127.0.0.1 and the port' },
    ),
    host: optionalText('Address to listen on; beyond loopback only `plinth serve` does, and needs `url`.', {
      defaultText: '[server] host if that is a loopback address, else 127.0.0.1',
    }),
    require_mfa: boolean(
      false,
      'Every operator has to have a second factor, and sets it up at the next sign-in.',
    ),
  }),
  edge_runtime: section('Server functions.', {
    html: oneOf(
      'sandbox',
      ['page'],
      'How browsers show pages that functions answer with: in a sandbox that runs no script, or as pages of this origin, which is that of the Account pages too.',
    ),
    deny_net: list(
      metadataServices,
      'Addresses, IPv4 blocks and hosts that functions may not reach, directly or through a name. The default is where cloud machines find the credentials of their own role.',
    ),
  }),
  database: section('The embedded PostgreSQL. Each setting opens it further than it needs to be.', {
    shared_password: boolean(
      false,
      "Every login role has the password of `postgres`, and `supabase_admin` may sign in over TCP, as in upstream's local stack; with --database-url the roles have the URL's password.",
    ),
    replication: boolean(
      false,
      "The role `postgres` may replicate, as in upstream's local stack, for tools that read the log of changes. SQL of the project can then load a library from any file that PostgreSQL can read, so it can run programs as PostgreSQL's user.",
    ),
    jwt_secret_setting: boolean(
      false,
      'Every role can read the JWT secret as the setting app.settings.jwt_secret. Off: `plinth start` sets it while the secret is the well-known one.',
    ),
  }),
  rest: section('The REST service.', {
    connections: integer(4, 'Connections of the request path to PostgreSQL.', { min: 1, max: 100 }),
    max_answer_size: size(
      2 * 1024 * 1024 * 1024,
      'Largest answer. What is large waits for its client in a file of the data folder, not in memory.',
    ),
    max_waiting_answers: size(
      8 * 1024 * 1024 * 1024,
      'What all answers together may take in files at a time.',
    ),
    max_request_bodies: size(
      512 * 1024 * 1024,
      'What large request bodies may take in memory at a time; beyond it they are refused for the moment.',
    ),
  }),
  storage: section('Files.', {
    backend: oneOf(
      'file',
      ['s3'],
      'Where bytes are kept: in files of the data folder, or in a bucket of any S3. What is there is not moved by a change.',
    ),
    s3: section(
      'The bucket for `backend = "s3"`, in the names of upstream\'s environment (`STORAGE_S3_…`).',
      {
        bucket: optionalText('Its name.'),
        endpoint: optionalText('Address of the server.', { defaultText: "Amazon's for the region" }),
        region: text('us-east-1', 'Region of the bucket.'),
        force_path_style: boolean(false, 'The bucket stands in the path instead of the host name.'),
        access_key_id: optionalText('Access key.', {
          defaultText: 'what the AWS SDK finds: AWS_ACCESS_KEY_ID, a profile, the role of the machine',
        }),
        secret_access_key: secret('Its secret.'),
        prefix: text('', 'Stands before every key, so that several projects can share a bucket.'),
      },
    ),
    multipart_lifetime: duration(
      7 * 24 * 60 * 60 * 1000,
      'An S3 multipart upload that nobody has completed is given up, with its parts, when no part has come for this long.',
    ),
    webhook: section('Told of every object that was made or removed through the API, at least once.', {
      url: optionalText(
        'Where a POST goes; https, or http to this machine while developing. Unset: nobody is told.',
      ),
      api_key: secret('Sent to it as a bearer token.'),
    }),
  }),
  jobs: section('Requests that SQL asks for (pg_net, database webhooks).', {
    private_hosts: list(
      [],
      'Hosts of a private network that they may go to under `plinth serve`, by name or address; `plinth start` lets them go anywhere.',
    ),
  }),
  realtime: section(
    "Bounds of realtime. The counts and rates are upstream's; what it has as default is in brackets.",
    {
      max_concurrent_users: optionalInteger('Most sockets at a time (200). Unset: no limit.', { min: 1 }),
      max_events_per_second: optionalInteger(
        'Most messages a second, sends and deliveries, averaged over a minute (100). Unset: no limit.',
        { min: 1 },
      ),
      max_joins_per_second: optionalInteger('Most joins a second (100). Unset: no limit.', { min: 1 }),
      max_channels_per_client: integer(100, 'Most channels of one socket (100).', { min: 1 }),
      max_presence_events_per_second: optionalInteger(
        'Most presence messages a second, deliveries included (1000). Unset: no limit.',
        { min: 1 },
      ),
      client_presence_max_calls: integer(1000, 'Most presence calls of one channel in a window (5).', {
        min: 1,
      }),
      client_presence_window: duration(30_000, 'The window.'),
      max_payload_size_in_kb: integer(3000, 'Largest message, in units of 1000 bytes (3000).', {
        min: 1,
        max: 4900,
      }),
      private_only: boolean(false, 'Refuses public channels.'),
      max_buffered_per_client: size(
        8 * 1024 * 1024,
        'What may wait for a slow reader before its socket is closed.',
      ),
      max_buffered: size(256 * 1024 * 1024, 'The same over all sockets; beyond it the slowest are closed.'),
      max_held_per_client: size(
        16 * 1024 * 1024,
        'What the joins and the presence of one socket may take of memory, estimated from their text; beyond it the socket is closed.',
      ),
      max_held: size(
        256 * 1024 * 1024,
        'The same over all sockets; beyond it those that take the most are closed.',
      ),
      max_waiting_changes: size(
        128 * 1024 * 1024,
        'Database changes that wait for their turn; beyond it PostgreSQL keeps what comes next.',
      ),
      max_slot_wal: size(
        2 * 1024 * 1024 * 1024,
        'What PostgreSQL may keep of its log for changes that are not delivered yet; beyond it they are given up, and subscribers are told that they begin anew.',
      ),
      bus: optionalOneOf(
        ['process', 'postgres', 'nats'],
        'How processes that serve one database share broadcasts and presence: `process` not at all, `postgres` over NOTIFY, `nats` over a NATS server. Unset: `postgres` with a database of your own, `process` with the embedded one.',
      ),
      nats_url: secret('Addresses of the NATS server for `bus = "nats"`, separated by commas.'),
    },
  ),
  safe_update: section('A guard against changing every row by accident.', {
    enabled: boolean(true, 'Refuses PATCH and DELETE without a filter.'),
  }),
});
