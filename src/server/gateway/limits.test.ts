import { expect, test } from 'vitest';
import { defaultConfig } from '../../platform/config/index.ts';
import { limitsFrom } from './limits.ts';

const { server } = defaultConfig().plinth;
const connections = (settings: typeof server, gibibytes: number) =>
  limitsFrom(settings, { cores: 2, memoryBytes: gibibytes * 1024 ** 3 }, Number.POSITIVE_INFINITY)
    .maxConnections;

test('the number of connections depends on the memory unless it is configured', () => {
  expect(connections(server, 1)).toBe(16_384);
  expect(connections(server, 16)).toBe(40_000);
  expect(connections({ ...server, max_connections: 7 }, 1)).toBe(7);
});

test('the limit on open files is never exceeded, even by a setting', () => {
  const machine = { cores: 2, memoryBytes: 8 * 1024 ** 3 };
  expect(limitsFrom({ ...server, max_connections: 5000 }, machine, 1024).maxConnections).toBe(659);
  expect(limitsFrom({ ...server, max_connections: 500 }, machine, 1024).maxConnections).toBe(500);
  expect(limitsFrom(server, machine, Number.POSITIVE_INFINITY).maxConnections).toBe(40_000);
});
