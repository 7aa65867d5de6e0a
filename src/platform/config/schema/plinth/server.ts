/** The settings for the process, its ports, its log and its traces. */
import {
  boolean,
  duration,
  integer,
  integerOrAuto,
  list,
  live,
  liveSection,
  oneOf,
  opened,
  optionalInteger,
  optionalPath,
  optionalPort,
  optionalText,
  reasons,
  restart,
  restartSection,
  secret,
  section,
  size,
  text,
} from '../define.ts';

const collector = restart('the trace exporter is created at startup');
const requestQueue = restart('the request queue is created at startup');

export const log = liveSection('The log of `plinth start` and `plinth serve`.', {
  to: oneOf(
    'files',
    ['stdout', 'both'],
    'Where log lines are written: to files in `.plinth/logs`, to standard output, or both. Without files, the Console shows only lines that are still in memory.',
    restart('log files are opened at startup'),
  ),
  format: oneOf('json', ['logfmt'], 'Format of log lines on standard output. Files always contain JSON.'),
  level: oneOf('info', ['debug', 'warn', 'error'], 'Minimum level of the lines to log.'),
  max_size: size(
    512 * 1024 * 1024,
    'Maximum total size of the log files. Full files are compressed. The oldest lines are deleted first.',
  ),
  max_age: duration(
    30 * 24 * 60 * 60 * 1000,
    'How long log lines are kept. The newest file is kept until it is full or a day old.',
  ),
});

export const telemetry = section('Traces for an OpenTelemetry collector.', {
  otlp_endpoint: optionalText(
    'Base URL of the collector for OTLP over HTTP, for example "http://127.0.0.1:4318". Each request becomes a span, and each of its SQL statements becomes a child span without parameter values.',
    collector,
  ),
  otlp_headers: secret(
    'Additional headers for the collector, as comma-separated "name=value" pairs, in the format of OTEL_EXPORTER_OTLP_HEADERS.',
    collector,
  ),
  sampling: integer(
    100,
    'Percentage of traces that are exported. The decision applies to all requests in a trace.',
    { max: 100 },
    live,
  ),
  trust_incoming: oneOf(
    'none',
    ['proxies', 'all'],
    "Callers whose traceparent header decides whether a request is traced, instead of `sampling`. `proxies`: the proxies in [server] trusted_proxies. Each proxy must replace the traceparent header of its clients' requests. `all`: all callers, which suits a private network.",
    live,
  ),
});

export const files = section(
  'Files that settings refer to, such as email templates, seeds and entrypoints.',
  {
    allowed_folders: list(
      [],
      'Additional folders for the files that settings refer to, relative to the project folder. An example in a monorepo is ../../packages/db.',
      live,
    ),
  },
);

export const server = liveSection('API server.', {
  host: text(
    '127.0.0.1',
    'Address to listen on. Only `plinth serve` can listen on addresses other than loopback.',
    opened,
  ),
  watch_config: boolean(
    false,
    'Applies changed settings files without `plinth reload`. `plinth start` always applies them. With `plinth serve`, a file may be applied while it is still being edited.',
  ),
  trusted_proxies: list(
    [],
    'Addresses or address blocks of proxies whose X-Forwarded-* headers are trusted. The names loopback, linklocal and uniquelocal are also allowed. The gateway removes X-Forwarded-* headers from all other requests.',
  ),
  browser_secret_keys: boolean(
    false,
    'Allows secret keys (`sb_secret_…`, `service_role`) in requests from web pages on other origins. Every visitor to such a page can read the key.',
  ),
  max_connections: optionalInteger(
    'Maximum number of concurrent connections. Each connection needs a file descriptor, so this maximum is lowered if the process can open too few files.',
    { min: 1 },
    {
      defaultText:
        '40000, or fewer on a machine or container with little memory, because each connection takes 64 KiB',
    },
  ),
  max_connections_per_address: integer(
    5000,
    "Maximum number of concurrent connections per IP address (IPv6: per /64). For clients behind a trusted proxy, the requests and sockets that the proxy forwards are counted instead of connections. Connections from loopback addresses aren't limited.",
    { min: 1 },
  ),
  drain: duration(
    1000,
    "How long `plinth serve` continues to accept connections after it receives a stop signal. During this time, `/health/ready` responds with 503. Set the time to the interval of the load balancer's health checks, so that the load balancer stops sending requests before the port is closed.",
  ),
  header_timeout: duration(
    20_000,
    'Time limit for receiving the first byte on a connection, and for receiving the request line and headers of a request.',
    restart('Node.js reads the value when a port is opened'),
  ),
  min_rate: size(
    256,
    "Minimum number of bytes per second that a client must send in a request body or read from a response, averaged over a window. Time that the client spends waiting for the server isn't counted. Slower connections are closed.",
  ),
  body_window: duration(
    60_000,
    "Window over which the rate of a request body is averaged for `min_rate`. A client can't pause for longer than this window.",
  ),
  answer_window: duration(5 * 60_000, 'Window over which the rate of a response is averaged for `min_rate`.'),
  max_wait: duration(
    1000,
    'Maximum expected wait before a request starts if more requests arrive than one CPU core can process. A request that would wait longer receives 503 immediately. WebSocket connections can wait longer.',
    requestQueue,
  ),
  max_waiting: integer(
    10_000,
    'Maximum number of waiting requests, and maximum number of waiting WebSocket connections. If more arrive, the client with the most waiting requests receives 503.',
    { min: 1 },
    requestQueue,
  ),
  workers: integerOrAuto(
    1,
    'Number of processes that serve the API port of `plinth serve`. `auto` uses one process per available CPU core. With 1, a single process does everything. The limits in `[rest]` and `[server]` apply to all processes together.',
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
    'HTTPS on the API and Console ports of `plinth serve`. Takes precedence over `[api.tls]`.',
    {
      cert: optionalPath(
        'supabase',
        'Certificate file (PEM) with the full chain. A changed certificate file is loaded without a restart.',
        { anywhere: true },
      ),
      key: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
      http_port: optionalPort(
        'Port for unencrypted HTTP, which redirects to HTTPS and responds to ACME challenges.',
        { defaultText: "80 with `acme`. Otherwise, the port isn't opened" },
      ),
      hsts: duration(
        365 * 24 * 60 * 60_000,
        'How long browsers use only HTTPS after a visit (Strict-Transport-Security). `0s` omits the header.',
      ),
      acme: section(
        'Certificates that are obtained and renewed automatically (ACME). The ACME server must be able to reach `http_port` through port 80 of every domain.',
        {
          domains: list(
            [],
            'Domains of this server, for example api.example.com and console.example.com. Each domain receives a separate certificate. If empty, ACME is off.',
          ),
          email: optionalText('Contact address for the ACME server.'),
          directory: text(
            'https://acme-v02.api.letsencrypt.org/directory',
            "Directory URL of the ACME server. The default is Let's Encrypt.",
          ),
          accept_terms: boolean(
            false,
            "Accepts the ACME server's terms of service. Acceptance is required, because otherwise the ACME server doesn't issue certificates.",
          ),
          eab: section(
            'External account binding, which connects the ACME account to your account at a certificate authority such as ZeroSSL or Google Trust Services.',
            {
              kid: optionalText('Key ID from the certificate authority.'),
              hmac_key: secret('HMAC key from the certificate authority, encoded as base64url.'),
            },
          ),
        },
      ),
    },
  ),
});

export const console = section('The Console, which uses a separate port (`[studio] port`).', {
  url: optionalText(
    "Public URL of the Console, such as https://console.example.com. A proxy must forward requests for this URL to the Console's port and keep the Host header. Without a proxy, include the port unless it is 443.",
    { defaultText: 'http(s)://127.0.0.1:PORT', ...opened },
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
  agent_documents: boolean(
    true,
    'Loads the metadata of AI agents from their websites, if the Console uses HTTPS. Turn this off if the server has no access to the internet. Agents then register themselves.',
    live,
  ),
  ask: liveSection(
    'A language model that writes SQL on the SQL page. Off unless `url` is set. See docs/ask.md.',
    {
      url: optionalText(
        'Base URL of an endpoint that is compatible with the OpenAI API, such as http://127.0.0.1:11434/v1. `/chat/completions` is added. The URL must use HTTPS, unless it refers to this machine.',
      ),
      model: text('', 'Name of the model.'),
      key: secret('API key for the endpoint. If unset, requests contain no key.'),
      allow_rows: boolean(
        false,
        "Lets operators add rows of a result to a question. Otherwise, only the schema, the question and the editor's SQL are sent.",
      ),
      timeout: duration(60_000, 'Maximum time for an answer.'),
      max_questions_per_day: integer(200, 'Maximum number of questions that all operators ask in 24 hours.'),
    },
  ),
  undo_days: integer(
    14,
    'Number of days for which row changes made in the Console can be undone. With 0, they are not journaled.',
    { max: 365 },
    live,
  ),
  undo_max_size: size(
    256 * 1024 * 1024,
    'Maximum size of the row values in the undo journal. If the journal is larger, its oldest entries are deleted.',
    live,
  ),
  tls: restartSection(
    reasons.opened,
    'A separate certificate for the Console. Requires `cert` in `[server.tls]`.',
    {
      cert: optionalPath('supabase', 'Certificate file (PEM) with the full chain.', { anywhere: true }),
      key: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
    },
  ),
});
