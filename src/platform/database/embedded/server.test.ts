import { expect, test } from 'vitest';
import { serverLogLevel } from './server.ts';

test.each([
  ['FATAL:  could not open file "global/pg_control"', 'warn'],
  ['PANIC:  could not locate a valid checkpoint record', 'warn'],
  ['FATAL:  password authentication failed for user "postgres"', 'warn'],
  ['FATAL:  the database system is starting up', 'debug'],
  ['FATAL:  permission denied to set parameter "event_triggers"', 'debug'],
  ['FATAL:  permission denied to set parameter "session_replication_role"', 'warn'],
  ['LOG:  listening on Unix socket', 'debug'],
])('%s: %s', (line, level) => {
  expect(serverLogLevel(line)).toBe(level);
});
