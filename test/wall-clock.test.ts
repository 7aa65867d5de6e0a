/**
 * Tests that only the listed files read the wall clock, each for a specific reason. The wall clock can be changed at
 * any time, so durations, time limits and caches use a monotonic clock (`src/base/kernel/clock.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

const readers: Readonly<Record<string, string>> = {
  'server/backend/verification.ts': 'file name',
  'server/backend/nodes.ts': 'times that other nodes show',
  'server/backend/prepared-cluster.ts': 'age of a folder',
  'operations/backup/verification.ts': 'stored time',
  'operations/backup/journal.ts': 'part of an ID',
  'operations/backup/restore/restore.ts': 'stored time',
  'operations/backup/target/s3.ts': 'stored time',
  'entry/cli/commands/gen-keys.ts': 'expiry of a token',
  'entry/cli/commands/status.ts': 'shown ages',
  'pages/console/operators/routes.ts': 'expiry of an invitation',
  'platform/database/embedded/copy-cluster.ts': 'part of an ID',
  'platform/database/embedded/location.ts': 'file name',
  'platform/database/embedded/prepared.ts': 'age of a file',
  'platform/database/testing/template-folder.ts': 'age of a file',
  'platform/database/wire/replication/wal-stream.ts': 'time in a protocol message',
  'server/gateway/app.ts': 'time of a request',
  'server/gateway/operator-routes.ts': 'expiry of a token',
  'server/gateway/observe.ts': 'time of a request',
  'server/gateway/request-hooks.ts': 'time of a request',
  'server/gateway/shared-responses.ts': 'time of a request',
  'base/kernel/clock.ts': 'the clock itself',
  'platform/group/mailbox.ts': 'times that other nodes show',
  'platform/keys/key-file.ts': 'age of a file',
  'platform/keys/index.ts': 'stored times',
  'platform/keys/role-tokens.ts': 'expiry of a token',
  'entry/main.ts': 'time of the last reload and of saved metrics',
  'platform/packages/claim.ts': 'age of a file',
  'platform/telemetry/history/archiving.ts': 'age of a file',
  'platform/packages/abandoned.ts': 'age of a file',
  'entry/rest-server/http.ts': 'time of a request',
  'services/storage/backend/owners.ts': 'age of a file',
  'services/storage/backend/s3-bucket.ts': 'stored time',
  'platform/telemetry/index.ts': 'time of a log entry',
  'platform/telemetry/process-log.ts': 'time of a log line and age of a file',
};

test('only the listed files read the wall clock directly', () => {
  const found = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => {
      const code = readFileSync(`${sources}${path}`, 'utf8').replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
      return /\bDate\.now\b/.test(code);
    });
  expect(found.sort()).toEqual(Object.keys(readers).sort());
});
