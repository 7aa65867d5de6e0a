import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultConfig } from '../../platform/config/index.ts';
import { limitsFrom } from '../gateway/index.ts';
import { requestPathLimits } from './connection-limits.ts';
import { shareOf } from './share.ts';

const machine = { cores: 4, memoryBytes: 8 * 1024 ** 3 };
const config = defaultConfig();

test('the workers together have about as many connections as one process', () => {
  const { aloneConnections = 0, slowConnections = 0 } = requestPathLimits(config.plinth.rest, machine);
  // This value depends on the system's limit on open files.
  const { maxConnections } = limitsFrom(config.plinth.server, machine);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 64 }), (workers) => {
      const { rest, server } = shareOf(config, workers, machine).plinth;
      expect(rest.exclusive_connections).toBe(Math.max(3, Math.ceil(aloneConnections / workers)));
      expect(rest.slow_connections).toBe(Math.max(2, Math.ceil(slowConnections / workers)));
      const total = (server.max_connections ?? 0) * workers;
      expect(total).toBeGreaterThanOrEqual(maxConnections);
      expect(total).toBeLessThan(maxConnections + workers);
    }),
  );
});

test('zero slow connections remain zero', () => {
  const rest = { ...config.plinth.rest, slow_connections: 0 };
  const given = { ...config, plinth: { ...config.plinth, rest } };
  expect(shareOf(given, 2, machine).plinth.rest.slow_connections).toBe(0);
});

test('every worker can handle one request of any allowed size', () => {
  const { rest } = shareOf(config, 64, machine).plinth;
  expect(rest.max_request_bodies).toBe(256 * 1024 * 1024);
  expect(rest.max_waiting_answers).toBe(rest.max_answer_size);
});
