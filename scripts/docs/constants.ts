/**
 * Generates section 9 of the specification: constants in the code, and the defaults of limits that can be configured.
 */
import { printDuration, printSize } from '../../src/config/core/values.ts';
import { type Config, defaultConfig } from '../../src/config/index.ts';
import { defaultLimits as functionLimits } from '../../src/functions/core/limits.ts';
import { defaultInvocationBounds as invocationBounds } from '../../src/functions/invocations.ts';
import { defaultLogBounds as functionLogs } from '../../src/functions/logs.ts';
import { limitsFrom } from '../../src/realtime/settings.ts';
import { code, table } from './markdown.ts';
import { sourceConstant } from './source-constants.ts';

type Unit = 'ms' | 's' | 'bytes' | 'count';
type Fixed = readonly [module: string, limit: string, unit: Unit, path: string, name: string];

const fixed: readonly Fixed[] = [
  ['gateway', 'default request body', 'bytes', 'src/gateway', 'defaultBodyLimitBytes'],
  ['gateway', 'request URL and headers', 'bytes', 'src/gateway', 'maxHeaderBytes'],
  ['gateway', 'path parameter, in characters', 'count', 'src/gateway', 'maxPathChars'],
  ['gateway', 'cache duration of preflight responses', 's', 'src/gateway', 'maxAgeSeconds'],
  ['gateway', 'idle time before a connection is probed', 'ms', 'src/gateway', 'probeAfterMs'],
  [
    'gateway',
    'grace period for pending requests at shutdown',
    'ms',
    'src/backend/lifecycle.ts',
    'shutdownGraceMs',
  ],
  [
    'kernel',
    'timeout of a request to another server, including redirects',
    'ms',
    'src/shared',
    'outgoingTimeoutMs',
  ],
  ['kernel', 'response from another server', 'bytes', 'src/shared/outgoing.ts', 'maxResponseBytes'],
  ['keys', 'cached verified tokens', 'count', 'src/keys', 'cacheEntries'],
  ['keys', "cache duration of a third-party issuer's keys", 'ms', 'src/keys', 'keySetLifetimeMs'],
  ['keys', 'minimum interval between requests for unknown keys', 'ms', 'src/keys', 'keySetPauseMs'],
  ['keys', 'interval between checks for changed signing keys', 'ms', 'src/keys', 'lookEveryMs'],
  ['keys', 'minimum RSA key size, in bits', 'count', 'src/keys', 'minRsaBits'],
  ['auth', 'request body', 'bytes', 'src/auth', 'maxBodyBytes'],
  ['auth', 'password (the maximum that bcrypt reads)', 'bytes', 'src/auth', 'maxBytes'],
  ['auth', 'bcrypt cost', 'count', 'src/auth', 'defaultCost'],
  ['auth', 'queued password hashes', 'count', 'src/auth', 'maxWaitingHashes'],
  ['auth', 'timeout of the leaked password service', 'ms', 'src/auth', 'leakCheckTimeoutMs'],
  ['auth', 'clock skew of SAML identity providers', 'ms', 'src/auth/core/saml', 'clockSkewMs'],
  ['auth', 'additional delay of a SAML response', 'ms', 'src/auth', 'maxIssueDelayMs'],
  ['auth', 'lifetime of a PKCE code', 'ms', 'src/auth', 'codeLifetimeMs'],
  ['auth', 'lifetime of a provider sign-in', 'ms', 'src/auth', 'signInLifetimeMs'],
  ['auth', "cache duration of an issuer's discovery document", 'ms', 'src/auth', 'discoveryLifetimeMs'],
  ['auth', 'cached issuers', 'count', 'src/auth', 'maxIssuers'],
  ['auth', 'custom providers', 'count', 'src/auth', 'maxCustomProviders'],
  [
    'auth',
    'lifetime of an OAuth authorization, from the request to the code exchange',
    'ms',
    'src/auth',
    'authorizationLifetimeMs',
  ],
  ['auth', 'lifetime of an ID token', 's', 'src/auth', 'idTokenSeconds'],
  ['auth', 'redirect URIs per client', 'count', 'src/auth', 'maxRedirectUris'],
  ['auth', 'lifetime of a factor challenge', 'ms', 'src/auth', 'challengeLifetimeMs'],
  ['auth', 'lifetime of a factor enrollment', 'ms', 'src/auth', 'enrollmentLifetimeMs'],
  ['auth', 'lifetime of a passkey challenge', 'ms', 'src/auth', 'passkeyChallengeLifetimeMs'],
  ['auth', 'passkeys per user', 'count', 'src/auth', 'maxPasskeysPerUser'],
  ['auth', 'passkey name', 'bytes', 'src/auth/flows/passkey-list.ts', 'maxNameBytes'],
  ['auth', 'recovery codes per set', 'count', 'src/auth', 'codesPerSet'],
  [
    'auth',
    "maximum difference between the time in a signed wallet message and the server's time",
    'ms',
    'src/auth',
    'walletMessageValidityMs',
  ],
  ['auth', 'signed wallet message', 'bytes', 'src/auth', 'maxMessageBytes'],
  ['auth', 'interval between deletions of expired data', 'ms', 'src/auth', 'sweepEveryMs'],
  ['auth', 'logout tokens per sign-out', 'count', 'src/auth', 'maxNotifications'],
  ['auth', 'interval between changes of an account, after a burst', 'ms', 'src/auth', 'changeEveryMs'],
  [
    'auth',
    'sign-ins with other providers and OAuth clients per IP address and five minutes',
    'count',
    'src/auth',
    'authorizationsPerFiveMinutes',
  ],
  ['auth', 'burst of these sign-ins', 'count', 'src/auth', 'authorizationBurst'],
  ['auth', 'TOTP period', 's', 'src/shared/totp.ts', 'periodSeconds'],
  ['auth', 'TOTP digits', 'count', 'src/shared/totp.ts', 'digits'],
  ['auth', 'TOTP clock skew in time steps, in both directions', 'count', 'src/shared/totp.ts', 'skewSteps'],
  ['auth', 'timeout of an HTTP hook', 'ms', 'src/auth', 'httpTimeoutMs'],
  ['auth', 'timeout of a database hook', 'ms', 'src/auth', 'functionTimeoutMs'],
  ['auth', 'hook response', 'bytes', 'src/auth', 'maxResponseBytes'],
  ['jobs', 'concurrent `pg_net` requests per process', 'count', 'src/jobs', 'defaultBatchSize'],
  ['jobs', 'maximum of `pg_net.batch_size`', 'count', 'src/jobs', 'maxBatchSize'],
  ['jobs', 'maximum timeout of a `pg_net` request', 'ms', 'src/jobs', 'maxRequestTimeoutMs'],
  ['jobs', 'maximum timeout of an `http` request', 'ms', 'src/jobs', 'maxHttpTimeoutMs'],
  ['jobs', 'redirects of an `http` request', 'count', 'src/jobs', 'maxHttpRedirects'],
  ['jobs', 'response to a request', 'bytes', 'src/jobs', 'maxResponseBytes'],
  ['jobs', 'redirects of a `pg_net` request', 'count', 'src/jobs/net', 'maxRedirects'],
  ['jobs', 'polling interval of the `pg_net` queue', 'ms', 'src/jobs', 'netPollMs'],
  ['jobs', 'concurrent `pg_cron` jobs per process', 'count', 'src/jobs', 'maxRunningJobs'],
  ['jobs', 'retention of `pg_cron` run details', 'ms', 'src/jobs', 'runDetailsRetentionMs'],
  ['rest', 'request body', 'bytes', 'src/rest', 'BODY_LIMIT_BYTES'],
  ['rest', 'CSV after conversion to JSON', 'bytes', 'src/rest', 'CSV_AS_JSON_BYTES'],
  ['rest', 'form', 'bytes', 'src/rest', 'FORM_BYTES'],
  ['rest', 'form fields', 'count', 'src/rest', 'FORM_FIELDS'],
  ['rest', 'columns and embeds per level, `order` terms', 'count', 'src/rest', 'MAX_ITEMS'],
  ['rest', 'nesting depth of embeds and conditions', 'count', 'src/rest/core/parse/grammar.ts', 'MAX_DEPTH'],
  [
    'rest',
    'response kept in memory (larger responses are buffered in a file)',
    'bytes',
    'src/rest',
    'MEMORY_PER_ANSWER_BYTES',
  ],
  ['rest', 'all responses kept in memory', 'bytes', 'src/rest', 'MEMORY_BYTES'],
  ['rest', 'timeout of a stalled client during a large response', 'ms', 'src/rest', 'STALLED_MS'],
  ['realtime', 'frame', 'bytes', 'src/realtime', 'maxFrameBytes'],
  [
    'realtime',
    'database change (larger changes omit long values)',
    'bytes',
    'src/realtime',
    'maxChangeBytes',
  ],
  ['realtime', 'heartbeat interval between processes', 'ms', 'src/realtime/bus', 'defaultAliveMs'],
  [
    'realtime',
    'time without a heartbeat before a process is considered stopped',
    'ms',
    'src/realtime/bus',
    'defaultLeaseMs',
  ],
  ['realtime', 'buffered data for other processes', 'bytes', 'src/realtime/bus', 'maxWaitingBytes'],
  ['realtime', 'interval between token checks of a channel', 'ms', 'src/realtime', 'confirmEveryMs'],
  ['storage', 'JSON body', 'bytes', 'src/storage', 'jsonBodyLimitBytes'],
  ['storage', 'default objects per listing', 'count', 'src/storage', 'defaultLimit'],
  ['storage', 'maximum objects per cursor-based listing', 'count', 'src/storage', 'maxPageLimit'],
  ['storage', 'signed paths per request', 'count', 'src/storage', 'maxPaths'],
  ['storage', 'lifetime of a signed upload URL', 's', 'src/storage', 'uploadUrlSeconds'],
  ['storage', 'lifetime of a resumable upload', 'ms', 'src/storage', 'uploadLifetimeMs'],
  ['storage', 'source file of an image transformation', 'bytes', 'src/storage', 'maxSourceBytes'],
  ['storage', 'source image, in pixels', 'count', 'src/storage', 'maxSourcePixels'],
  ['storage', 'width or height of a transformed image, in pixels', 'count', 'src/storage', 'maxSidePixels'],
  ['storage', 'timeout of an image transformation', 's', 'src/storage', 'renderTimeoutSeconds'],
  ['storage', 'queued image transformations', 'count', 'src/storage', 'maxWaitingPictures'],
  ['storage', 'disk cache of transformed images', 'bytes', 'src/storage', 'cacheBytes'],
  [
    'storage',
    'age at which a file without a database row is moved aside',
    'ms',
    'src/storage',
    'sweepGraceMs',
  ],
  ['storage', 'retention of files that were moved aside', 'ms', 'src/storage', 'orphanLifetimeMs'],
  ['storage', 'timeout of a storage webhook', 'ms', 'src/storage', 'webhookTimeoutMs'],
  ['storage', 'retry period of a storage event', 'ms', 'src/storage', 'eventLifetimeMs'],
  ['storage', 'user metadata per object', 'bytes', 'src/storage', 'maxUserMetadataBytes'],
  ['storage', 'maximum entries per S3 listing', 'count', 'src/storage/s3', 'defaultKeys'],
  ['storage', 'keys per S3 `DeleteObjects` request', 'count', 'src/storage/s3', 'maxDeletedKeys'],
  ['storage', 'parts per S3 multipart upload', 'count', 'src/storage/s3', 'maxParts'],
  ['storage', 'XML body of an S3 request', 'bytes', 'src/storage/s3', 'maxXmlBytes'],
  ['storage', 'clock skew of an S3 signature', 'ms', 'src/storage/s3', 'maxSkewMs'],
  ['storage', 'maximum lifetime of a presigned S3 URL', 's', 'src/storage/s3', 'maxPresignSeconds'],
  ['storage', 'objects deleted when a bucket is emptied', 'count', 'src/storage', 'maxObjects'],
  ['mail', 'stored captured messages', 'count', 'src/mail', 'maxMessages'],
  ['mail', 'maximum messages per listing', 'count', 'src/mail', 'maxLimit'],
  ['account', 'idle timeout of a session', 'ms', 'src/account', 'idleLimitMs'],
  [
    'account',
    'time before expiry at which an access token is refreshed',
    'ms',
    'src/account',
    'refreshAheadMs',
  ],
  ['account', "clients' pages that the browser loads after a sign-out", 'count', 'src/account', 'maxPages'],
  ['account', 'lifetime of the session cookie', 's', 'src/account', 'cookieMaxAgeSeconds'],
  [
    'account',
    'lifetime of the guest cookie during sign-in to another account',
    's',
    'src/account',
    'guestCookieMaxAgeSeconds',
  ],
  [
    'account',
    'maximum age of a sign-in for taking over a guest or deleting the account',
    'ms',
    'src/auth',
    'freshSignInMs',
  ],
  ['account', 'lifetime of the language cookie', 's', 'src/account', 'languageMaxAgeSeconds'],
  ['console', 'lifetime of a sign-in link', 's', 'src/console', 'linkLifetimeSeconds'],
  ['console', 'lifetime of an operator session', 's', 'src/console', 'sessionLifetimeSeconds'],
  ['console', 'failed sign-ins per IP address and period', 'count', 'src/console', 'attemptLimits.max'],
  ['console', 'period for counting failed sign-ins', 'ms', 'src/console', 'attemptLimits.windowMs'],
  [
    'console',
    'requests with unknown access tokens per IP address and period',
    'count',
    'src/console',
    'tokenAttempts.max',
  ],
  [
    'console',
    'period for counting requests with unknown access tokens',
    'ms',
    'src/console',
    'tokenAttempts.windowMs',
  ],
  ['console', 'users that are counted exactly', 'count', 'src/console/users/list.ts', 'maxCounted'],
  ['console', 'users per bulk action', 'count', 'src/console/users/list.ts', 'maxBulkUsers'],
  [
    'console',
    'users per request of a bulk action',
    'count',
    'src/console/users/contract.ts',
    'maxBatchUsers',
  ],
  ['console', 'duration of a statement that lists users', 'ms', 'src/console/users/list.ts', 'listTimeoutMs'],
  ['console', 'lifetime of an impersonation token', 's', 'src/console/users', 'impersonationSeconds'],
  ['console', 'lifetime of a persona token for a function', 's', 'src/console/functions', 'tokenSeconds'],
  ['console', 'lifetime of a persona token for a channel', 's', 'src/console/realtime', 'tokenSeconds'],
  ['console', 'lifetime of a file preview link', 's', 'src/console/storage', 'previewSeconds'],
  ['console', 'files deleted per request', 'count', 'src/console/storage', 'maxDeleted'],
  [
    'console',
    'concurrent log streams, separately for functions and all services',
    'count',
    'src/console/event-stream.ts',
    'maxStreams',
  ],
  [
    'console',
    'duration of a log stream before the browser reconnects',
    'ms',
    'src/console/event-stream.ts',
    'maxStreamMs',
  ],
  ['console', 'deleted rows that can be restored', 'count', 'src/console/tables', 'maxRestoredRows'],
  ['console', 'size of deleted rows that can be restored', 'bytes', 'src/console/tables', 'maxRestoredBytes'],
  ['console', 'choices per search for a foreign key', 'count', 'src/console/tables', 'maxChoices'],
  [
    'console',
    'interval between checks for changed rows',
    'ms',
    'src/console/tables/snapshots.ts',
    'intervalMs',
  ],
  [
    'console',
    'time that a page waits for changed rows',
    'ms',
    'src/console/tables/snapshots.ts',
    'maxWaitMs',
  ],
  ['console', 'pages that wait for changed rows', 'count', 'src/console/tables/snapshots.ts', 'maxWaiting'],
  ['console', 'lifetime of an invitation link', 's', 'src/console', 'invitationSeconds'],
  ['console', 'text per cell on the SQL page', 'bytes', 'src/console/sql-page', 'maxCellBytes'],
  ['console', 'concurrent scripts on the SQL page', 'count', 'src/console/sql-page', 'maxAtOnce'],
  ['console', "runs in an operator's SQL history", 'count', 'src/console/sql-page', 'maxEntries'],
  ['console', 'saved queries per operator', 'count', 'src/console/sql-page', 'maxSaved'],
  ['console', 'statements that are explained together', 'count', 'src/console/sql-page', 'maxExplained'],
  ['console', 'time to download a prepared export', 'ms', 'src/console/sql-page', 'lifetimeMs'],
  ['console', 'claims of a persona, in characters', 'count', 'src/console/persona', 'maxClaimsChars'],
  ['console', 'runs, deliveries, requests or messages per page', 'count', 'src/console/jobs', 'runsPerPage'],
  [
    'console',
    'displayed text of a queue message, in characters',
    'count',
    'src/console/jobs',
    'openedMessageChars',
  ],
  ['console', 'displayed body of a request or response', 'bytes', 'src/console/jobs', 'shownBodyBytes'],
  ['web', 'cache duration of the key set', 'ms', 'web/lib/session', 'jwksCacheMs'],
  ['functions', 'header of a function response', 'bytes', 'src/functions/proxy.ts', 'maxResponseHeadBytes'],
  ['functions', 'readable files per function', 'count', 'src/functions', 'maxReadableFiles'],
  ['functions', 'deployed functions', 'count', 'src/functions', 'maxFunctions'],
  ['functions', 'total size of a deployed function', 'bytes', 'src/functions', 'maxFunctionBytes'],
  ['functions', 'files of a deployed function', 'count', 'src/functions', 'maxFunctionFiles'],
  ['functions', 'total size of all deployed functions', 'bytes', 'src/functions', 'maxTotalBytes'],
  ['functions', 'secrets', 'count', 'src/functions', 'maxSecrets'],
  ['functions', 'value of a secret', 'bytes', 'src/functions', 'maxValueBytes'],
];

type Exported = readonly [module: string, limit: string, unit: Unit, value: number];

const realtimeLimits = limitsFrom(defaultConfig().plinth);

/** The defaults of limits that can be changed in plinth.toml. */
const exported: readonly Exported[] = [
  ['functions', 'stored log lines per function', 'count', functionLogs.linesPerFunction],
  ['functions', 'stored characters per log line', 'count', functionLogs.charsPerLine],
  ['functions', 'stored log lines per function and second', 'count', functionLogs.linesPerSecond],
  ['functions', 'stored invocations per function', 'count', invocationBounds.perFunction],
  [
    'functions',
    'CPU time since the start of the oldest pending request or the end of the last request',
    'ms',
    functionLimits.cpuMs,
  ],
  ['functions', 'CPU time at startup', 'ms', functionLimits.bootCpuMs],
  ['functions', 'memory per function, with at least 1 GiB of memory', 'bytes', functionLimits.memoryBytes],
  ['functions', 'lifetime of a process', 'ms', functionLimits.wallClockMs],
  ['functions', 'time to the first response', 'ms', functionLimits.responseMs],
  ['functions', 'idle timeout of a process', 'ms', functionLimits.idleMs],
  ['functions', 'concurrent processes, with at least 5 GiB of memory', 'count', functionLimits.maxWorkers],
  ['functions', 'concurrent processes per function', 'count', functionLimits.maxWorkersPerFunction],
  ['functions', 'concurrent requests and sockets per process', 'count', functionLimits.maxRequests],
  ['functions', 'time that a request waits for a process', 'ms', functionLimits.waitMs],
  ['realtime', 'channels per socket', 'count', realtimeLimits.maxChannelsPerClient],
  ['realtime', 'payload per message', 'bytes', realtimeLimits.maxPayloadBytes],
  [
    'realtime',
    'presence calls per channel membership and period',
    'count',
    realtimeLimits.clientPresence.maxCalls,
  ],
  ['realtime', 'period for counting presence calls', 'ms', realtimeLimits.clientPresence.windowMs],
  ['realtime', 'write-ahead log retained for undelivered changes', 'bytes', realtimeLimits.maxSlotWalBytes],
  ['realtime', 'timeout of a silent socket', 'ms', realtimeLimits.idleTimeoutMs],
  ['realtime', 'timeout of a socket without a channel', 'ms', realtimeLimits.emptySocketMs],
  ['realtime', 'buffered data per slow client', 'bytes', realtimeLimits.maxBufferedBytes],
  ['realtime', 'buffered data for all sockets', 'bytes', realtimeLimits.maxBufferedBytesInAll],
];

function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return value % 1000 === 0 ? printDuration(value) : `${value} ms`;
    case 's':
      return printDuration(value * 1000);
    case 'bytes':
      return value >= 1024 && value % 1024 === 0 ? printSize(value) : `${value} bytes`;
    case 'count':
      return String(value);
  }
}

export function constantsBlock(): string {
  const rows = [
    ...fixed.map(
      ([module, limit, unit, path, name]): Exported => [module, limit, unit, sourceConstant(path, name)],
    ),
    ...exported,
  ].map(([module, limit, unit, value]) => [module, limit, formatValue(value, unit)]);
  const order = [...new Set(rows.map(([module]) => module))];
  rows.sort((a, b) => order.indexOf(a[0] as string) - order.indexOf(b[0] as string));
  return table(['Module', 'Limit', 'Value'], rows);
}

const settable: readonly (readonly [key: string, unit: Unit, read: (config: Config) => number])[] = [
  ['api.port', 'count', ({ api }) => api.port],
  ['api.max_rows', 'count', ({ api }) => api.max_rows],
  ['db.port', 'count', ({ db }) => db.port],
  ['local_smtp.port', 'count', (config) => config.local_smtp.port],
  ['auth.jwt_expiry', 's', ({ auth }) => auth.jwt_expiry],
  ['auth.minimum_password_length', 'count', ({ auth }) => auth.minimum_password_length],
  ['auth.refresh_token_reuse_interval', 's', ({ auth }) => auth.refresh_token_reuse_interval],
  ['auth.email.otp_length', 'count', ({ auth }) => auth.email.otp_length],
  ['auth.email.otp_expiry', 's', ({ auth }) => auth.email.otp_expiry],
  ['auth.email.max_frequency', 'ms', ({ auth }) => auth.email.max_frequency],
  ['auth.rate_limit.email_sent', 'count', ({ auth }) => auth.rate_limit.email_sent],
  ['auth.rate_limit.sms_sent', 'count', ({ auth }) => auth.rate_limit.sms_sent],
  ['auth.rate_limit.anonymous_users', 'count', ({ auth }) => auth.rate_limit.anonymous_users],
  ['auth.rate_limit.token_refresh', 'count', ({ auth }) => auth.rate_limit.token_refresh],
  ['auth.rate_limit.sign_in_sign_ups', 'count', ({ auth }) => auth.rate_limit.sign_in_sign_ups],
  ['auth.rate_limit.token_verifications', 'count', ({ auth }) => auth.rate_limit.token_verifications],
  ['auth.api.max_request_duration (plinth.toml)', 'ms', ({ plinth }) => plinth.auth.api.max_request_duration],
  ['auth.mfa.max_enrolled_factors', 'count', ({ auth }) => auth.mfa.max_enrolled_factors],
  ['storage.file_size_limit', 'bytes', ({ storage }) => storage.file_size_limit],
  ['rest.connections (plinth.toml)', 'count', ({ plinth }) => plinth.rest.connections],
  ['rest.max_answer_size (plinth.toml)', 'bytes', ({ plinth }) => plinth.rest.max_answer_size],
  ['rest.max_waiting_answers (plinth.toml)', 'bytes', ({ plinth }) => plinth.rest.max_waiting_answers],
  ['rest.slow_after (plinth.toml)', 'ms', ({ plinth }) => plinth.rest.slow_after],
  ['rest.max_wait (plinth.toml)', 'ms', ({ plinth }) => plinth.rest.max_wait],
  ['rest.max_wait_slow (plinth.toml)', 'ms', ({ plinth }) => plinth.rest.max_wait_slow],
  ['rest.max_waiting (plinth.toml)', 'count', ({ plinth }) => plinth.rest.max_waiting],
  ['rest.max_waiting_slow (plinth.toml)', 'count', ({ plinth }) => plinth.rest.max_waiting_slow],
];

export function settingsBlock(): string {
  const config = defaultConfig();
  return table(
    ['Setting', 'Default'],
    settable.map(([key, unit, read]) => [code(key), formatValue(read(config), unit)]),
  );
}
