/** The settings pages for the network, TLS, limits, logs and traces. */
import { type PageSpec, under } from './types.ts';

export const serverPages: readonly PageSpec[] = [
  {
    id: 'network',
    group: 'server',
    title: 'Network',
    text: 'The addresses on which the server listens, and the proxies in front of it.',
    words: 'port host',
    parts: [
      {
        settings: [
          ['api.port', 'API port', { words: '54321 listen' }],
          ['server.host', 'Listen address', { words: 'bind interface 0.0.0.0' }],
          ['server.trusted_proxies', 'Trusted proxies', { words: 'load balancer nginx x-forwarded-for ip' }],
          ['server.drain', 'Keep accepting connections while stopping', { words: 'graceful shutdown' }],
          [
            'server.workers',
            'Processes that serve the API',
            { unit: 'processes', words: 'workers cluster cpu cores scale' },
          ],
        ],
      },
    ],
  },
  {
    id: 'tls',
    group: 'server',
    title: 'TLS',
    text: 'HTTPS on the ports of the API and the Console.',
    words: 'https ssl certificate',
    parts: [
      {
        title: 'Automatic certificates',
        text: 'Certificates that are obtained and renewed automatically (ACME).',
        settings: under('server.tls.acme', [
          ['domains', 'Domains', { words: 'letsencrypt acme certificate' }],
          ['email', 'Contact address', { words: 'letsencrypt acme' }],
          ['accept_terms', 'Accept the terms of service', { words: 'letsencrypt acme' }],
        ]),
      },
      {
        title: 'Your own certificate',
        settings: under('server.tls', [
          ['cert', 'Certificate file', { words: 'pem' }],
          ['key', 'Private key file', { words: 'pem' }],
          ['http_port', 'HTTP port', { words: 'redirect 80' }],
          ['hsts', 'Browsers require HTTPS for', { words: 'hsts strict-transport-security' }],
        ]),
      },
      {
        title: 'Another certificate authority',
        isRare: true,
        settings: under('server.tls.acme', [
          ['directory', 'ACME directory', { words: 'zerossl staging' }],
          ['eab.kid', 'Account key ID', { words: 'eab zerossl' }],
          ['eab.hmac_key', 'Account HMAC key', { words: 'eab zerossl' }],
        ]),
      },
      {
        title: 'HTTPS in development',
        isRare: true,
        settings: under('api.tls', [
          ['enabled', 'HTTPS on the API port', { words: 'self-signed localhost' }],
          ['cert_path', 'Development certificate file', { words: 'pem' }],
          ['key_path', 'Development private key file', { words: 'pem' }],
        ]),
      },
    ],
  },
  {
    id: 'alerts',
    group: 'server',
    title: 'Alerts',
    text: 'Messages about problems, such as failed backups. The page Alerts lists them and sends tests.',
    words: 'notify notification monitoring incident',
    parts: [
      {
        settings: under('alerts', [
          ['after', 'Report a problem after', { words: 'delay' }],
          ['repeat', 'Repeat while the problem lasts', { words: 'reminder' }],
        ]),
      },
      {
        title: 'Receivers',
        names: 'alerts.receivers',
        settings: under('alerts.receivers.*', [
          ['enabled', 'Send alerts', { words: 'on off' }],
          ['kind', 'Kind', { options: { email: 'Email', webhook: 'Webhook', slack: 'Slack' } }],
          ['to', 'Email addresses', { words: 'mail recipient' }],
          ['url', 'URL', { words: 'endpoint webhook slack mattermost' }],
          ['secret', 'Signing secret', { words: 'whsec signature standard webhooks' }],
          ['problems', 'Problems', { words: 'filter backups disk certificates jobs' }],
          ['severity', 'Least severity', { options: { error: 'Errors', warning: 'Errors and warnings' } }],
          ['quiet_hours', 'Quiet hours', { words: 'night silence do not disturb' }],
          ['time_zone', 'Time zone of the quiet hours', { words: 'timezone' }],
        ]),
      },
    ],
  },
  {
    id: 'limits',
    group: 'server',
    title: 'Connection limits',
    text: 'Limits that keep the server working during high load and attacks.',
    words: 'overload ddos timeout',
    parts: [
      {
        title: 'Connections',
        settings: under('server', [
          ['max_connections', 'Concurrent connections', { unit: 'connections' }],
          ['max_connections_per_address', 'Connections per IP address', { unit: 'connections' }],
          [
            'max_anonymous_sockets',
            'Realtime sockets without a user',
            { unit: 'sockets', words: 'websocket' },
          ],
          [
            'max_anonymous_sockets_per_address',
            'Realtime sockets without a user per IP address',
            { unit: 'sockets', words: 'websocket' },
          ],
        ]),
      },
      {
        title: 'Slow clients',
        settings: under('server', [
          ['header_timeout', 'Time limit for request headers', { words: 'slowloris' }],
          ['min_rate', 'Minimum transfer rate', { unit: 'per second', words: 'slowloris bytes' }],
          ['body_window', 'Averaging window for requests'],
          ['answer_window', 'Averaging window for responses'],
          ['join_timeout', 'Time limit for joining a channel', { words: 'websocket realtime' }],
        ]),
      },
      {
        title: 'Request queue',
        isRare: true,
        settings: under('server', [
          ['max_wait', 'Longest wait of a request', { words: 'queue 503 overload' }],
          ['max_waiting', 'Requests that wait to start', { unit: 'requests', words: 'queue 503' }],
        ]),
      },
    ],
  },
  {
    id: 'logs',
    group: 'server',
    title: 'Logs and traces',
    text: 'What the server logs, for how long, and where traces are sent.',
    words: 'logging telemetry',
    parts: [
      {
        title: 'Logs',
        settings: under('log', [
          [
            'level',
            'Log level',
            {
              words: 'debug verbose',
              options: { debug: 'Debug', info: 'Info', warn: 'Warnings', error: 'Errors' },
            },
          ],
          [
            'to',
            'Write logs to',
            {
              words: 'stdout file docker',
              options: { files: 'Files', stdout: 'Standard output', both: 'Files and standard output' },
            },
          ],
          [
            'format',
            'Format of standard output',
            { words: 'json logfmt', options: { json: 'JSON', logfmt: 'logfmt' } },
          ],
          ['max_size', 'Maximum size of log files', { words: 'disk rotation' }],
          ['max_age', 'Keep logs for', { words: 'retention rotation' }],
        ]),
      },
      {
        title: 'Traces',
        text: 'Traces for an OpenTelemetry collector.',
        settings: under('telemetry', [
          ['otlp_endpoint', 'Collector URL', { words: 'opentelemetry otlp tracing' }],
          ['otlp_headers', 'Collector headers', { words: 'opentelemetry otlp api key' }],
          ['sampling', 'Exported traces', { unit: 'percent', words: 'opentelemetry sample' }],
          [
            'trust_incoming',
            'Callers that decide what is traced',
            {
              words: 'opentelemetry traceparent',
              options: { none: 'None', proxies: 'Trusted proxies', all: 'All callers' },
            },
          ],
        ]),
      },
    ],
  },
];
