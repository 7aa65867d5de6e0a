/**
 * Lists all source files that can open connections to other machines, with the origin of each address. If a new file
 * can open connections, this test fails until the file is added to the list. If a user, a document or SQL provides the
 * address, the file must use one of the two guards.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

/** Matches code that sends requests: an HTTP client, a socket, or a package that contains one. */
const sends =
  /(?<![.\w])fetch\((?:uri|new URL)|\bconnect\b[^;]*from 'node:(?:net|tls)'|\brequest\b[^;]*from '[./]+(?:base\/)?(?:kernel\/)?http\.ts'|import\('(?:undici|nodemailer|@nats-io\/transport-node|@aws-sdk\/client-s3)'\)/;

const reviewed: Readonly<Record<string, string>> = {
  'services/auth/hooks/run.ts': 'the configuration names the hook; no redirects',
  'operations/backup/target/s3.ts': 'the configuration names the bucket',
  'entry/cli/control.ts': 'the socket of this data folder',
  'entry/cli/management/client.ts': 'the operator names the server; no redirects',
  'platform/database/wire/connect/socket.ts': 'the configuration names the database',
  'services/functions/deno/process.ts': 'the socket of a worker',
  'services/functions/proxy.ts': 'the socket of a worker',
  'services/functions/upgrade.ts': 'the socket of a worker',
  'platform/packs/download.ts': 'the configuration of pip names the index; the file is verified by its hash',
  'server/gateway/forward.ts': 'the socket of the lead',
  'server/backend/branches/relay.ts': 'the port of a branch, on loopback',
  'services/jobs/exchange.ts': 'SQL sets the address: a separate guard (jobs/core/destination.ts)',
  'base/shared/network/outgoing.ts': 'the guard of everything that users and documents name',
  'base/shared/network/outgoing-stream.ts':
    'the configuration names the model; HTTPS or loopback, no redirects',
  'services/mail/smtp.ts': 'the configuration names the mail server',
  'entry/main.ts': 'this server',
  'entry/npm/testing-connection.ts': 'the socket of the test host',
  'entry/npm/testing.ts': 'the socket of the test host',
  'services/realtime/bus/nats.ts': 'the configuration names the bus',
  'entry/rest-server/listen.ts': 'this server',
  'services/storage/backend/s3-assembly.ts': 'the configuration names the storage',
  'services/storage/backend/s3-bucket.ts': 'the configuration names the storage',
  'services/storage/backend/s3-multipart.ts': 'the configuration names the storage',
  'services/storage/backend/s3.ts': 'the configuration names the storage',
};

test('only listed files send requests to other machines', () => {
  const senders = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => sends.test(readFileSync(join(root, name), 'utf8')));
  expect(senders.sort()).toEqual(Object.keys(reviewed).sort());
});
