import { expect, test } from 'vitest';
import { defaultConfig } from '../../platform/config/index.ts';
import { poolLimits, requestPathLimits } from './connection-limits.ts';

const { rest, database } = defaultConfig().plinth;
const mib = 1024 ** 2;
const sizes = (settings: typeof rest, cores: number, memoryBytes = 16_384 * mib) => {
  const { aloneConnections, slowConnections } = requestPathLimits(settings, { cores, memoryBytes });
  return [aloneConnections, slowConnections];
};

test('the number of connections depends on the CPU cores unless it is configured', () => {
  expect(sizes(rest, 1)).toEqual([6, 4]);
  expect(sizes(rest, 4)).toEqual([12, 8]);
  expect(sizes(rest, 64)).toEqual([24, 16]);
  expect(sizes({ ...rest, exclusive_connections: 2, slow_connections: 0 }, 4)).toEqual([2, 0]);
});

test.each([
  // Columns: the memory in MiB, the numbers of exclusive and slow connections with 8 cores, and the connections per
  // pool.
  [128, 3, 2, 2],
  [256, 4, 2, 2],
  [512, 8, 4, 4],
  [1024, 16, 8, 5],
  [4096, 24, 16, 5],
])('the number of connections is limited in %d MiB', (size, exclusive, slow, pool) => {
  const machine = { cores: 8, memoryBytes: size * mib };
  expect(sizes(rest, machine.cores, machine.memoryBytes)).toEqual([exclusive, slow]);
  expect(poolLimits(database, machine).max).toBe(pool);
  const given = { ...rest, exclusive_connections: 50, slow_connections: 40 };
  expect(sizes(given, machine.cores, machine.memoryBytes)).toEqual([50, 40]);
  expect(poolLimits({ ...database, pool_connections: 9 }, machine).max).toBe(9);
});
