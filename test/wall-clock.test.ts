/**
 * Tests that only the listed files read the wall clock, each for a specific reason. The wall clock can be changed at
 * any time, so durations, time limits and caches use a monotonic clock (`src/kernel/clock.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

const readers: Readonly<Record<string, string>> = {
  'backend/drill.ts': 'file name',
  'backend/prepared-cluster.ts': 'age of a folder',
  'backup/drills.ts': 'stored time',
  'backup/journal.ts': 'part of an ID',
  'backup/restore/restore.ts': 'stored time',
  'backup/target/s3.ts': 'stored time',
  'cli/commands/gen-keys.ts': 'expiry of a token',
  'console/operators/routes.ts': 'expiry of an invitation',
  'database/embedded/copy-cluster.ts': 'part of an ID',
  'database/embedded/location.ts': 'file name',
  'database/embedded/spare.ts': 'age of a file',
  'database/testing/template-folder.ts': 'age of a file',
  'database/wire/standby-status.ts': 'time in a protocol message',
  'gateway/app.ts': 'time of a request',
  'gateway/metrics.ts': 'expiry of a token',
  'gateway/observe.ts': 'time of a request',
  'gateway/request-hooks.ts': 'time of a request',
  'kernel/clock.ts': 'the clock itself',
  'keys/file-lock.ts': 'age of a file',
  'keys/index.ts': 'expiry of a token and stored times',
  'main.ts': 'time of the last reload and of saved metrics',
  'packages/claim.ts': 'age of a file',
  'packages/install.ts': 'age of a file',
  'rest-server/http.ts': 'time of a request',
  'storage/backend/owners.ts': 'age of a file',
  'storage/backend/s3-bucket.ts': 'stored time',
  'telemetry/index.ts': 'time of a log entry',
  'telemetry/process-log.ts': 'time of a log line and age of a file',
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
