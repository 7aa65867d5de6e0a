/** Section 9 of the specification: what is fixed in the code, and the defaults of limits that can be set. */
import { printDuration, printSize } from '../../src/config/core/values.ts';
import { type Config, defaultConfig } from '../../src/config/index.ts';
import { defaultLimits as functionLimits } from '../../src/functions/core/limits.ts';
import { defaultInvocationBounds as invocationBounds } from '../../src/functions/invocations.ts';
import { defaultLogBounds as functionLogs } from '../../src/functions/logs.ts';
import { limitsFrom } from '../../src/realtime/settings.ts';
import { code, table } from './markdown.ts';
import { sourceConstant } from './source-constants.ts';

type Unit = 'ms' | 's' | 'bytes' | 'count';
type Fixed = readonly [room: string, what: string, unit: Unit, place: string, name: string];

const fixed: readonly Fixed[] = [
  [
    'gateway',
    'body where a service sets no limit of its own',
    'bytes',
    'src/gateway',
    'defaultBodyLimitBytes',
  ],
  ['gateway', 'address and headers of a request', 'bytes', 'src/gateway', 'maxHeaderBytes'],
  ['gateway', 'path parameter, in characters', 'count', 'src/gateway', 'maxPathChars'],
  ['gateway', 'answers to preflights are cached for', 's', 'src/gateway', 'maxAgeSeconds'],
  ['gateway', 'silence after which a client is asked for', 'ms', 'src/gateway', 'probeAfterMs'],
  ['gateway', 'requests in flight may finish at a stop for', 'ms', 'src/main.ts', 'shutdownGraceMs'],
  ['kernel', 'a request to another server, redirects included', 'ms', 'src/kernel', 'outgoingTimeoutMs'],
  ['kernel', 'answer of another server', 'bytes', 'src/kernel/outgoing.ts', 'maxAnswerBytes'],
  ['keys', 'verified tokens remembered', 'count', 'src/keys', 'cacheEntries'],
  ['keys', 'keys of another issuer remembered', 'ms', 'src/keys', 'keySetLifetimeMs'],
  ['keys', 'pause between two requests for unknown keys', 'ms', 'src/keys', 'keySetPauseMs'],
  ['keys', 'changed signing keys are noticed within', 'ms', 'src/keys', 'lookEveryMs'],
  ['keys', 'RSA key, least bits', 'count', 'src/keys', 'leastRsaBits'],
  ['auth', 'request body', 'bytes', 'src/auth', 'maxBodyBytes'],
  ['auth', 'password, as bytes (bcrypt reads no more)', 'bytes', 'src/auth', 'maxBytes'],
  ['auth', 'cost of bcrypt', 'count', 'src/auth', 'cost'],
  ['auth', 'passwords waiting to be hashed', 'count', 'src/auth', 'maxWaitingHashes'],
  ['auth', 'the service of leaked passwords answers within', 'ms', 'src/auth', 'leakCheckTimeoutMs'],
  ['auth', 'clocks of SAML identity providers may differ by', 'ms', 'src/auth', 'clockSkewMs'],
  ['auth', 'a SAML answer may take, besides', 'ms', 'src/auth', 'maxIssueDelayMs'],
  ['auth', 'PKCE code', 'ms', 'src/auth', 'codeLifetimeMs'],
  ['auth', 'sign-in with a provider, from leaving to coming back', 'ms', 'src/auth', 'signInLifetimeMs'],
  ['auth', 'discovery document of an issuer remembered', 'ms', 'src/auth', 'discoveryLifetimeMs'],
  ['auth', 'issuers remembered', 'count', 'src/auth', 'maxIssuers'],
  ['auth', 'custom providers', 'count', 'src/auth', 'maxCustomProviders'],
  [
    'auth',
    'request of another app, from its beginning to its code redeemed',
    'ms',
    'src/auth',
    'authorizationLifetimeMs',
  ],
  ['auth', 'ID token', 's', 'src/auth', 'idTokenSeconds'],
  ['auth', 'redirect URIs of a client', 'count', 'src/auth', 'maxRedirectUris'],
  ['auth', 'challenge of a factor', 'ms', 'src/auth', 'challengeLifetimeMs'],
  ['auth', 'enrolment of a factor may be finished within', 'ms', 'src/auth', 'enrolmentLifetimeMs'],
  ['auth', 'challenge of a passkey', 'ms', 'src/auth', 'passkeyChallengeLifetimeMs'],
  ['auth', 'passkeys of one user', 'count', 'src/auth', 'maxPasskeysPerUser'],
  ['auth', 'name of a passkey', 'bytes', 'src/auth/routes/passkeys.ts', 'maxNameBytes'],
  ['auth', 'recovery codes in a set', 'count', 'src/auth', 'codesPerSet'],
  ['auth', 'age of a signed message of a wallet, either way', 'ms', 'src/auth', 'walletMessageValidityMs'],
  ['auth', 'signed message of a wallet', 'bytes', 'src/auth', 'maxMessageBytes'],
  ['auth', 'what has expired is cleared away every', 'ms', 'src/auth', 'sweepEveryMs'],
  ['auth', 'TOTP period', 's', 'src/kernel/totp.ts', 'periodSeconds'],
  ['auth', 'TOTP digits', 'count', 'src/kernel/totp.ts', 'digits'],
  ['auth', 'TOTP steps of skew, either way', 'count', 'src/kernel/totp.ts', 'skewSteps'],
  ['auth', 'a hook over HTTP answers within', 'ms', 'src/auth', 'httpTimeoutMs'],
  ['auth', 'a hook in the database answers within', 'ms', 'src/auth', 'functionTimeoutMs'],
  ['auth', 'answer of a hook', 'bytes', 'src/auth', 'maxAnswerBytes'],
  ['jobs', 'requests of pg_net at once, in a process', 'count', 'src/jobs', 'defaultBatchSize'],
  ['jobs', 'the same at most, whatever pg_net.batch_size says', 'count', 'src/jobs', 'maxBatchSize'],
  ['jobs', 'timeout of a request of pg_net', 'ms', 'src/jobs', 'maxRequestTimeoutMs'],
  ['jobs', 'timeout of a request of http', 'ms', 'src/jobs', 'maxHttpTimeoutMs'],
  ['jobs', 'redirects of a request of http', 'count', 'src/jobs', 'maxHttpRedirects'],
  ['jobs', 'answer to a request', 'bytes', 'src/jobs', 'maxAnswerBytes'],
  ['jobs', 'redirects of a request', 'count', 'src/jobs/net', 'maxRedirects'],
  ['jobs', 'the queue of pg_net is looked at every', 'ms', 'src/jobs', 'netPollMs'],
  ['jobs', 'jobs of pg_cron at once, in a process', 'count', 'src/jobs', 'maxRunningJobs'],
  ['jobs', 'run details of pg_cron', 'ms', 'src/jobs', 'runDetailsKeptMs'],
  ['rest', 'request body', 'bytes', 'src/rest', 'BODY_LIMIT_BYTES'],
  ['rest', 'CSV, written as JSON', 'bytes', 'src/rest', 'CSV_AS_JSON_BYTES'],
  ['rest', 'form', 'bytes', 'src/rest', 'FORM_BYTES'],
  ['rest', 'fields of a form', 'count', 'src/rest', 'FORM_FIELDS'],
  ['rest', 'columns and embeds of a level, terms of an order', 'count', 'src/rest', 'MAX_ITEMS'],
  ['rest', 'levels of embeds, and of conditions', 'count', 'src/rest/core/parse/grammar.ts', 'MAX_DEPTH'],
  [
    'rest',
    'one answer in memory; a larger one waits in a file',
    'bytes',
    'src/rest',
    'MEMORY_PER_ANSWER_BYTES',
  ],
  ['rest', 'the same over all answers', 'bytes', 'src/rest', 'MEMORY_BYTES'],
  ['rest', 'a client may take nothing of a large answer for', 'ms', 'src/rest', 'STALLED_MS'],
  ['realtime', 'frame', 'bytes', 'src/realtime', 'maxFrameBytes'],
  ['realtime', 'change; larger ones lose their long values', 'bytes', 'src/realtime', 'maxChangeBytes'],
  ['realtime', 'a process tells the others that it lives every', 'ms', 'src/realtime/bus', 'defaultAliveMs'],
  ['realtime', 'a silent process is gone after', 'ms', 'src/realtime/bus', 'defaultLeaseMs'],
  ['realtime', 'what waits for other processes', 'bytes', 'src/realtime/bus', 'maxWaitingBytes'],
  ['realtime', 'a channel checks its token again every', 'ms', 'src/realtime', 'confirmEveryMs'],
  ['storage', 'JSON body', 'bytes', 'src/storage', 'jsonBodyLimitBytes'],
  ['storage', 'objects in one listing, unless asked', 'count', 'src/storage', 'defaultLimit'],
  ['storage', 'objects in one listing by cursor, at most', 'count', 'src/storage', 'maxPageLimit'],
  ['storage', 'paths signed in one request', 'count', 'src/storage', 'maxPaths'],
  ['storage', 'signed upload address', 's', 'src/storage', 'uploadUrlSeconds'],
  ['storage', 'resumable upload', 'ms', 'src/storage', 'uploadLifetimeMs'],
  ['storage', 'file that a picture is made of', 'bytes', 'src/storage', 'maxSourceBytes'],
  ['storage', 'pixels of a picture that another is made of', 'count', 'src/storage', 'maxSourcePixels'],
  ['storage', 'side of a picture that is made, in pixels', 'count', 'src/storage', 'maxSidePixels'],
  ['storage', 'time to make a picture', 's', 'src/storage', 'renderTimeoutSeconds'],
  ['storage', 'pictures that wait to be made', 'count', 'src/storage', 'maxWaitingPictures'],
  ['storage', 'pictures kept on disk', 'bytes', 'src/storage', 'cacheBytes'],
  ['storage', 'files without a row are put aside after', 'ms', 'src/storage', 'sweepGraceMs'],
  ['storage', 'files that were put aside are removed after', 'ms', 'src/storage', 'orphanLifetimeMs'],
  ['storage', 'an event waits for its webhook', 'ms', 'src/storage', 'webhookTimeoutMs'],
  ['storage', 'an event is offered for', 'ms', 'src/storage', 'eventLifetimeMs'],
  ['storage', 'user metadata of an object', 'bytes', 'src/storage', 'maxUserMetadataBytes'],
  ['storage', 'lines in one listing of S3, at most', 'count', 'src/storage/s3', 'defaultKeys'],
  ['storage', 'keys in one DeleteObjects of S3', 'count', 'src/storage/s3', 'maxDeletedKeys'],
  ['storage', 'parts of one upload over S3', 'count', 'src/storage/s3', 'maxParts'],
  ['storage', 'XML body of a request of S3', 'bytes', 'src/storage/s3', 'maxXmlBytes'],
  ['storage', 'age of a signature of S3', 'ms', 'src/storage/s3', 'maxSkewMs'],
  ['storage', 'life of a presigned URL of S3', 's', 'src/storage/s3', 'maxPresignSeconds'],
  ['storage', 'objects that emptying a bucket takes', 'count', 'src/storage', 'maxObjects'],
  ['mail', 'captured messages kept', 'count', 'src/mail', 'keptMessages'],
  ['mail', 'messages in one listing, at most', 'count', 'src/mail', 'maxLimit'],
  ['account', 'a session that nobody uses', 'ms', 'src/account', 'idleLimitMs'],
  ['account', 'an access token is renewed ahead of its end by', 'ms', 'src/account', 'refreshAheadMs'],
  ['account', 'the cookie', 's', 'src/account', 'cookieMaxAgeSeconds'],
  [
    'account',
    'a guest waits while they sign in to another account',
    's',
    'src/account',
    'guestCookieMaxAgeSeconds',
  ],
  [
    'account',
    'a sign-in is fresh enough to take over a guest, and to delete the account',
    'ms',
    'src/auth',
    'freshSignInMs',
  ],
  ['account', 'the cookie that keeps a chosen language', 's', 'src/account', 'languageMaxAgeSeconds'],
  ['console', 'sign-in link', 's', 'src/console', 'linkLifetimeSeconds'],
  ['console', 'session of an operator', 's', 'src/console', 'sessionLifetimeSeconds'],
  ['console', 'failed sign-ins of one address', 'count', 'src/console', 'attemptLimits.most'],
  ['console', 'they are counted over', 'ms', 'src/console', 'attemptLimits.windowMs'],
  ['console', 'token that acts as a user', 's', 'src/console/users', 'impersonationSeconds'],
  ['console', 'token of a persona for a function', 's', 'src/console/edge-functions', 'tokenSeconds'],
  ['console', 'token of a persona for a channel', 's', 'src/console/channels', 'tokenSeconds'],
  ['console', 'link to look at a file', 's', 'src/console/buckets', 'previewSeconds'],
  ['console', 'files deleted by one call', 'count', 'src/console/buckets', 'mostDeleted'],
  [
    'console',
    'log streams at once, of functions and of all services each',
    'count',
    'src/console/event-stream.ts',
    'mostStreams',
  ],
  ['console', 'log stream, until the browser comes back', 'ms', 'src/console/event-stream.ts', 'longestMs'],
  ['console', 'link of an invitation', 's', 'src/console', 'invitationSeconds'],
  ['console', 'text of a cell on the SQL page', 'bytes', 'src/console/sql-page', 'maxCellBytes'],
  ['console', 'scripts of the SQL page at the same time', 'count', 'src/console/sql-page', 'mostAtOnce'],
  ['console', 'history of an operator, in runs', 'count', 'src/console/sql-page', 'keptEntries'],
  ['console', 'claims of a persona, in characters', 'count', 'src/console/persona', 'maxClaimsChars'],
  [
    'console',
    'runs, deliveries, requests or messages in one answer',
    'count',
    'src/console/job-pages',
    'runsPerPage',
  ],
  ['console', 'text of a message of a queue, opened', 'count', 'src/console/job-pages', 'openedMessageChars'],
  ['console', 'body of a request or an answer, opened', 'bytes', 'src/console/job-pages', 'shownBodyBytes'],
  ['web', 'the key set is cached for', 'ms', 'web/lib/session', 'jwksCacheMs'],
  ['functions', "head of a function's answer", 'bytes', 'src/functions/proxy.ts', 'maxAnswerHeadBytes'],
  ['functions', 'files that a function may read', 'count', 'src/functions', 'mostReadableFiles'],
];

type Exported = readonly [room: string, what: string, unit: Unit, value: number];

const realtimeLimits = limitsFrom(defaultConfig().plinth);

/** Where a setting of plinth.toml says otherwise, these are the defaults. */
const exported: readonly Exported[] = [
  ['functions', 'log lines kept of each', 'count', functionLogs.linesPerFunction],
  ['functions', 'characters kept of a log line', 'count', functionLogs.charsPerLine],
  ['functions', 'log lines kept of each in one second', 'count', functionLogs.linesPerSecond],
  ['functions', 'invocations kept of each', 'count', invocationBounds.perFunction],
  [
    'functions',
    'CPU time since the oldest pending request, or the last end of one',
    'ms',
    functionLimits.cpuMs,
  ],
  ['functions', 'CPU time to start', 'ms', functionLimits.bootCpuMs],
  ['functions', 'memory of one function', 'bytes', functionLimits.memoryBytes],
  ['functions', 'life of one process', 'ms', functionLimits.wallClockMs],
  ['functions', 'time to the first answer', 'ms', functionLimits.answerMs],
  ['functions', 'an idle process ends after', 'ms', functionLimits.idleMs],
  ['functions', 'processes at a time', 'count', functionLimits.maxWorkers],
  ['functions', 'of them, of one function', 'count', functionLimits.maxWorkersPerFunction],
  ['functions', 'requests and sockets at a time in one process', 'count', functionLimits.maxRequests],
  ['functions', 'a request waits for a process', 'ms', functionLimits.waitMs],
  ['realtime', 'channels of one socket', 'count', realtimeLimits.maxChannelsPerClient],
  ['realtime', 'payload of one message', 'bytes', realtimeLimits.maxPayloadBytes],
  ['realtime', 'presence calls of one channel membership', 'count', realtimeLimits.clientPresence.maxCalls],
  ['realtime', 'they are counted over', 'ms', realtimeLimits.clientPresence.windowMs],
  ['realtime', 'log that PostgreSQL keeps for undelivered changes', 'bytes', realtimeLimits.maxSlotWalBytes],
  ['realtime', 'a silent socket is closed after', 'ms', realtimeLimits.idleTimeoutMs],
  ['realtime', 'a socket without a channel is closed after', 'ms', realtimeLimits.emptySocketMs],
  ['realtime', 'what may wait for one slow reader', 'bytes', realtimeLimits.maxBufferedBytes],
  ['realtime', 'the same over all sockets', 'bytes', realtimeLimits.maxBufferedBytesInAll],
];

function shown(value: number, unit: Unit): string {
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
      ([room, what, unit, place, name]): Exported => [room, what, unit, sourceConstant(place, name)],
    ),
    ...exported,
  ].map(([room, what, unit, value]) => [room, what, shown(value, unit)]);
  const order = [...new Set(rows.map(([room]) => room))];
  rows.sort((a, b) => order.indexOf(a[0] as string) - order.indexOf(b[0] as string));
  return table(['room', 'what', 'value'], rows);
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
  ['rest.max_request_bodies (plinth.toml)', 'bytes', ({ plinth }) => plinth.rest.max_request_bodies],
];

export function settingsBlock(): string {
  const config = defaultConfig();
  return table(
    ['setting', 'default'],
    settable.map(([key, unit, read]) => [code(key), shown(read(config), unit)]),
  );
}
