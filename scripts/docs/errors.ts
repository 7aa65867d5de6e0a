/** `docs/errors.md`: every service's error table as the code has it. Gaps that a request fills stand in braces. */
import { accountErrors } from '../../src/account/errors.ts';
import { errorTable as authErrors } from '../../src/auth/errors.ts';
import { errors as consoleErrors } from '../../src/console/errors.ts';
import { databaseErrors } from '../../src/database/errors.ts';
import { errors as functionErrors } from '../../src/functions/errors.ts';
import { joinReason } from '../../src/realtime/core/token.ts';
import {
  closes,
  handshakeRefusalOf,
  handshakeRefusals,
  joinRefusals,
  readRevoked,
  systemErrors,
  unauthorizedRead,
} from '../../src/realtime/errors.ts';
import { ERRORS as restErrors, SQLSTATE_STATUS } from '../../src/rest/errors.ts';
import {
  renderStorageError,
  StorageError,
  type StorageErrorName,
  storageErrors,
} from '../../src/storage/errors.ts';
import { tusErrors } from '../../src/storage/resumable/errors.ts';
import { s3Errors } from '../../src/storage/s3/errors.ts';
import { faultMessages } from '../../web/lib/session/faults.ts';
import { code, table } from './markdown.ts';

/** Answers every question with the question in braces. */
const gaps = new Proxy({} as Record<string, string>, { get: (_target, name) => `{${String(name)}}` });

type Entry = { readonly status: number; readonly message: string };

const statusTable = (entries: Readonly<Record<string, Entry>>): string =>
  table(
    ['code', 'status', 'message'],
    Object.entries(entries).map(([name, { status, message }]) => [code(name), String(status), message]),
  );

export interface ErrorSection {
  readonly title: string;
  readonly about: string;
  readonly text: string;
  /** How many entries the tables have. */
  readonly size: number;
}

const sized = (title: string, about: string, entries: object, text: string): ErrorSection => ({
  title,
  about,
  text,
  size: Object.keys(entries).length,
});

function rest(): ErrorSection {
  const rows = Object.entries(restErrors).map(([name, { status, message }]) => [
    code(name),
    String(status),
    typeof message === 'string' ? message : message(gaps),
  ]);
  const states = Object.entries(SQLSTATE_STATUS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, status]) => [code(state), String(status)]);
  return sized(
    'REST',
    'On the wire `{code, message, details, hint}`. An error of PostgreSQL keeps its SQLSTATE as `code`; the second table ' +
      'gives its status, the longest matching beginning wins, and 400 where none matches. `42501` is 401 for `anon`, and its `hint` names the missing GRANT or policy ([decision 10](decisions/0010-permission-hints.md)).',
    restErrors,
    `${table(['code', 'status', 'message'], rows)}\n\n${table(['SQLSTATE begins with', 'status'], states)}`,
  );
}

function storage(): ErrorSection {
  const rows = (Object.keys(storageErrors) as StorageErrorName[]).map((name) => {
    const { status, body } = renderStorageError(new StorageError(name));
    return [code(name), code(body.code), code(body.error), body.statusCode, String(status), body.message];
  });
  const resumable = Object.entries(tusErrors).map(([name, { status, body }]) => [
    code(name),
    String(status),
    body.trim(),
  ]);
  return sized(
    'Storage',
    'On the wire `{statusCode, error, message, code}`; the HTTP status of most is 400, as upstream has it. Below ' +
      '`/upload/resumable` all is plain text with the true status: the `statusCode` and message of the first table, or ' +
      'the second.',
    [...rows, ...resumable],
    [
      table(['entry', 'code', 'error', 'statusCode', 'HTTP status', 'message'], rows),
      table(['entry', 'status', 'resumable upload'], resumable),
    ].join('\n\n'),
  );
}

function storageS3(): ErrorSection {
  return sized(
    'Storage over S3',
    'On the wire `<Error><Resource/><Code/><Message/><RequestId/></Error>` with the true status. Errors of storage come with ' +
      'their `statusCode` as status.',
    s3Errors,
    table(
      ['entry', 'code', 'status', 'message'],
      Object.entries(s3Errors).map(([name, entry]) => [
        code(name),
        code(entry.code),
        String(entry.status),
        entry.message,
      ]),
    ),
  );
}

function realtime(): ErrorSection {
  const faults = [
    { kind: 'expired', secondsAgo: 1 },
    { kind: 'missing-claims' },
    { kind: 'malformed' },
    { kind: 'signature' },
    { kind: 'signer', kid: undefined },
    { kind: 'signer', kid: '{kid}' },
  ] as const;
  const handshake = [
    ...Object.values(handshakeRefusals),
    ...faults.map((fault) => handshakeRefusalOf(fault)),
  ].map(({ status, error }) => [String(status), error]);
  const joins = [
    ...Object.values(joinRefusals),
    ...faults.map((fault) => joinReason(fault).replace('1 seconds', '{n} seconds')),
    `Unauthorized: ${unauthorizedRead('{topic}')}`,
  ].map((reason) => [reason]);
  const system = [...Object.values(systemErrors), readRevoked('{topic}')].map((text) => [text]);
  const closed = Object.values(closes).map(([status, reason]) => [String(status), reason]);
  return sized(
    'Realtime',
    'A refused handshake is an HTTP answer, a refused join the `reason` of its reply, and a channel that ends gets a ' +
      '`system` message before `phx_close`.',
    [...handshake, ...joins, ...system, ...closed],
    [
      table(['status', 'refused handshake'], handshake),
      table(['refused join'], joins),
      table(['system message'], system),
      table(['close code', 'reason'], closed),
    ].join('\n\n'),
  );
}

export const errorSections: readonly ErrorSection[] = [
  sized(
    'Auth',
    'On the wire `{code, message}` for clients that send `X-Supabase-Api-Version: 2024-01-01`, else `{code, error_code, ' +
      'msg}` with the status as `code`. Routes may say more than the message here; the code never changes.',
    authErrors,
    statusTable(authErrors),
  ),
  rest(),
  realtime(),
  storage(),
  storageS3(),
  sized(
    'Functions',
    'What the platform answers when a function cannot: `{code, message}`, and the code again in `sb-error-code`.',
    functionErrors,
    table(
      ['code', 'status', 'message'],
      Object.values(functionErrors).map((entry) => [code(entry.code), String(entry.status), entry.message]),
    ),
  ),
  sized(
    'Account',
    'Of `/account/api`: `{code, message}`. What auth refuses is passed on in the shape of auth.',
    accountErrors,
    statusTable(accountErrors),
  ),
  sized(
    'Console',
    'Of `/console/api`: `{code, message, requestId}`, with `detail`, `hint` and `sqlstate` where PostgreSQL gave them.',
    consoleErrors,
    statusTable(consoleErrors),
  ),
  sized(
    'Session verification in the browser',
    'Thrown by `web/lib/session`; the messages are a contract.',
    faultMessages,
    table(
      ['code', 'message'],
      Object.entries(faultMessages).map(([name, message]) => [code(name), message]),
    ),
  ),
  sized(
    'Database',
    'Told on the terminal when the database cannot start; the hint says what to do.',
    databaseErrors,
    table(
      ['code', 'message', 'hint'],
      Object.entries(databaseErrors).map(([name, { message, hint }]) => [code(name), message(gaps), hint]),
    ),
  ),
];

const head = `# Errors

<!-- Printed from the error tables of the code by scripts/docs/generate.ts; do not edit. -->

Codes are stable; messages may become more exact. Words in braces are filled in by the request. Every answer carries
the request's id in \`x-request-id\`, and an internal error never shows its inside: the log has it under that id. Faults
of the configuration and of the project folder (migrations, seeds, buckets) are sentences on the terminal with file and
line, and have no codes; [config.md](config.md) says what each key takes.
`;

export function errorsDocument(): string {
  const sections = errorSections.map(({ title, about, text }) => `## ${title}\n\n${about}\n\n${text}\n`);
  return [head, ...sections].join('\n');
}

/** Section 8 of the specification: how many there are, and where. */
export const errorsBlock = (): string =>
  table(
    ['room', 'entries', 'shape'],
    errorSections.map(({ title, about, size }) => [
      `[${title}](errors.md#${title.toLowerCase().replaceAll(' ', '-')})`,
      String(size),
      about,
    ]),
  );

export const sessionFaultsBlock = (): string =>
  table(
    ['message', 'code'],
    Object.entries(faultMessages).map(([name, message]) => [message, code(name)]),
  );
