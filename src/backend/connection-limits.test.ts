import { expect, test } from 'vitest';
import { defaultConfig } from '../config/index.ts';
import { requestPathLimits } from './connection-limits.ts';

const { rest } = defaultConfig().plinth;
const sizes = (settings: typeof rest, cores: number) => {
  const { aloneConnections, slowConnections } = requestPathLimits(settings, { cores, memoryBytes: 0 });
  return [aloneConnections, slowConnections];
};

test('the number of connections depends on the cores unless it is set', () => {
  expect(sizes(rest, 1)).toEqual([6, 4]);
  expect(sizes(rest, 4)).toEqual([12, 8]);
  expect(sizes(rest, 64)).toEqual([24, 16]);
  expect(sizes({ ...rest, exclusive_connections: 2, slow_connections: 0 }, 4)).toEqual([2, 0]);
});
