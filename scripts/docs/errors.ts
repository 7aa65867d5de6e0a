/** Generates `docs/errors.md` from the error tables of all services. Placeholders in messages are shown in braces. */

import { dumpErrors } from '../../src/operations/dump/errors.ts';
import { upgradeErrors } from '../../src/operations/upgrade/errors.ts';
import { accountErrors } from '../../src/pages/account/errors.ts';
import { errors as consoleErrors } from '../../src/pages/console/errors.ts';
import { databaseErrors } from '../../src/platform/database/errors.ts';
import { diffErrors } from '../../src/project/diff/errors.ts';
import { migrateErrors } from '../../src/project/migrate/errors.ts';
import { errorTable as authErrors } from '../../src/services/auth/errors.ts';
import { errors as functionErrors } from '../../src/services/functions/errors.ts';
import { joinReason } from '../../src/services/realtime/core/token.ts';
import {
  closes,
  handshakeRejectionOf,
  handshakeRejections,
  joinRejections,
  readRevoked,
  systemErrors,
  unauthorizedRead,
} from '../../src/services/realtime/errors.ts';
import { ERRORS as restErrors, SQLSTATE_STATUS } from '../../src/services/rest/errors.ts';
import {
  renderStorageError,
  StorageError,
  type StorageErrorName,
  storageErrors,
} from '../../src/services/storage/errors.ts';
import { tusErrors } from '../../src/services/storage/resumable/errors.ts';
import { s3Errors } from '../../src/services/storage/s3/errors.ts';
import { faultMessages } from '../../web/lib/session/faults.ts';
import { code, table } from './markdown.ts';

/** An object in which the value of each property is the property's name in braces. */
const placeholders = new Proxy({} as Record<string, string>, { get: (_target, name) => `{${String(name)}}` });

type Entry = { readonly status: number; readonly message: string };

const statusTable = (entries: Readonly<Record<string, Entry>>): string =>
  table(
    ['Code', 'Status', 'Message'],
    Object.entries(entries).map(([name, { status, message }]) => [code(name), String(status), message]),
  );

export interface ErrorSection {
  readonly title: string;
  readonly about: string;
  readonly text: string;
  /** The number of errors in the section. */
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
    typeof message === 'string' ? message : message(placeholders),
  ]);
  const states = Object.entries(SQLSTATE_STATUS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, status]) => [code(state), String(status)]);
  return sized(
    'REST',
    'The response body is `{code, message, details, hint}`. PostgreSQL errors keep their SQLSTATE as `code`. A separate ' +
      'table maps SQLSTATE prefixes to HTTP statuses: the longest matching prefix applies, and the status is 400 if none matches. ' +
      'For `anon`, the error `42501` has the status 401. The `hint` of `42501` contains the missing GRANT or policy ' +
      '([decision 10](decisions/0010-permission-hints.md)).',
    restErrors,
    `${table(['Code', 'Status', 'Message'], rows)}\n\n${table(['SQLSTATE prefix', 'Status'], states)}`,
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
    'The response body is `{statusCode, error, message, code}`. The HTTP status is 400 for most errors, as in the upstream ' +
      'service. Routes below `/upload/resumable` respond with plain text, and the HTTP status of a ' +
      'storage error on these routes is its `statusCode`. Errors that occur only in resumable uploads are listed with their HTTP status.',
    [...rows, ...resumable],
    [
      table(['Entry', '`code`', '`error`', '`statusCode`', 'HTTP status', 'Message'], rows),
      table(['Entry', 'Status', 'Response of resumable uploads'], resumable),
    ].join('\n\n'),
  );
}

function storageS3(): ErrorSection {
  return sized(
    'Storage over S3',
    'The response body is `<Error><Resource/><Code/><Message/><RequestId/></Error>`, with the matching HTTP status. Storage errors ' +
      'use their `statusCode` as the HTTP status.',
    s3Errors,
    table(
      ['Entry', 'Code', 'Status', 'Message'],
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
    { kind: 'early' },
    { kind: 'missing-claims' },
    { kind: 'malformed' },
    { kind: 'signature' },
    { kind: 'signer', kid: undefined },
    { kind: 'signer', kid: '{kid}' },
  ] as const;
  const handshake = [
    ...Object.values(handshakeRejections),
    ...faults.map((fault) => handshakeRejectionOf(fault)),
  ].map(({ status, error }) => [String(status), error]);
  const joins = [
    ...Object.values(joinRejections),
    ...faults.map((fault) => joinReason(fault).replace('1 seconds', '{n} seconds')),
    `Unauthorized: ${unauthorizedRead('{topic}')}`,
  ].map((reason) => [reason]);
  const system = [...Object.values(systemErrors), readRevoked('{topic}')].map((text) => [text]);
  const closed = Object.values(closes).map(([status, reason]) => [String(status), reason]);
  return sized(
    'Realtime',
    'If a handshake is rejected, the client receives an HTTP response. If a join is rejected, the reply contains the `reason`. When a channel is closed, the client ' +
      'receives a `system` message before `phx_close`.',
    [...handshake, ...joins, ...system, ...closed],
    [
      table(['Status', 'Rejected handshake'], handshake),
      table(['Rejected join'], joins),
      table(['System message'], system),
      table(['Close code', 'Reason'], closed),
    ].join('\n\n'),
  );
}

export const errorSections: readonly ErrorSection[] = [
  sized(
    'Auth',
    'The response body is `{code, message}` for clients that send `X-Supabase-Api-Version: 2024-01-01`. For other clients, the body is ' +
      '`{code, error_code, msg}`, where `code` is the HTTP status. A route can return a more specific message, but the code is ' +
      'stable.',
    authErrors,
    statusTable(authErrors),
  ),
  rest(),
  realtime(),
  storage(),
  storageS3(),
  sized(
    'Functions',
    "The platform returns these errors when a function can't respond. The response body is `{code, message}`, and the `sb-error-code` header " +
      'repeats the code.',
    functionErrors,
    table(
      ['Code', 'Status', 'Message'],
      Object.values(functionErrors).map((entry) => [code(entry.code), String(entry.status), entry.message]),
    ),
  ),
  sized(
    'Account',
    "`/account/api` returns these errors as `{code, message}`. Errors from the auth service keep that service's format.",
    accountErrors,
    statusTable(accountErrors),
  ),
  sized(
    'Console',
    '`/console/api` returns these errors as `{code, message, requestId}`. PostgreSQL errors also include `detail`, `hint` and `sqlstate` if ' +
      'available.',
    consoleErrors,
    statusTable(consoleErrors),
  ),
  sized(
    'Session verification in the browser',
    '`web/lib/session` throws these errors. The messages of these errors are stable.',
    faultMessages,
    table(
      ['Code', 'Message'],
      Object.entries(faultMessages).map(([name, message]) => [code(name), message]),
    ),
  ),
  sized(
    'Database',
    "These errors are printed in the terminal when the database can't start. The hint explains how to fix the problem.",
    databaseErrors,
    table(
      ['Code', 'Message', 'Hint'],
      Object.entries(databaseErrors).map(([name, { message, hint }]) => [
        code(name),
        message(placeholders),
        hint,
      ]),
    ),
  ),
  sized(
    'Dumps',
    'These errors are printed by `plinth db dump` and `plinth db restore`.',
    dumpErrors,
    table(
      ['Code', 'Message', 'Hint'],
      Object.entries(dumpErrors).map(([name, { message, hint }]) => [
        code(name),
        message(placeholders),
        hint,
      ]),
    ),
  ),
  sized(
    'Schema comparisons',
    'These errors are printed by `plinth db diff` and `plinth db pull`.',
    diffErrors,
    table(
      ['Code', 'Message', 'Hint'],
      Object.entries(diffErrors).map(([name, { message, hint }]) => [
        code(name),
        message(placeholders),
        hint,
      ]),
    ),
  ),
  sized(
    'Migrations',
    'These errors are printed by `plinth migrate`.',
    migrateErrors,
    table(
      ['Code', 'Message', 'Hint'],
      Object.entries(migrateErrors).map(([name, { message, hint }]) => [
        code(name),
        message(placeholders),
        hint,
      ]),
    ),
  ),
  sized(
    'Upgrades',
    'These errors are printed by `plinth upgrade`.',
    upgradeErrors,
    table(
      ['Code', 'Message', 'Hint'],
      Object.entries(upgradeErrors).map(([name, { message, hint }]) => [
        code(name),
        message(placeholders),
        hint,
      ]),
    ),
  ),
];

const head = `# Errors

<!-- Generated by scripts/docs/generate.ts from the error tables in the code. Don't edit this file. -->

This page lists all error codes by service. Error codes are stable, but messages may become more specific. In messages,
words in braces are placeholders.

Every response includes the request ID in \`x-request-id\`. The response for an internal error never contains the
details. To find the details, search the log for the request ID.

Configuration and project folder errors (migrations, seeds, buckets) are printed in the terminal with file names and line
numbers, and don't have codes. [config.md](config.md) lists the valid values of each setting.
`;

export function errorsDocument(): string {
  const sections = errorSections.map(({ title, about, text }) => `## ${title}\n\n${about}\n\n${text}\n`);
  return [head, ...sections].join('\n');
}

/** Generates section 8 of the specification, which lists the number of errors per service with links to the errors. */
export const errorsBlock = (): string =>
  table(
    ['Service', 'Entries', 'Response format'],
    errorSections.map(({ title, about, size }) => [
      `[${title}](errors.md#${title.toLowerCase().replaceAll(' ', '-')})`,
      String(size),
      about,
    ]),
  );

export const sessionFaultsBlock = (): string =>
  table(
    ['Message', 'Code'],
    Object.entries(faultMessages).map(([name, message]) => [message, code(name)]),
  );
