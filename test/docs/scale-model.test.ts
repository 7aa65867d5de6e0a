import { expect, test } from 'vitest';
import { answer, type Costs, type Load, type Sizes, shareOf } from '../../bench/scale/model.ts';
import { describeAnswer } from '../../bench/scale/text.ts';

const cost = (node: number, postgres: number) => ({ node, postgres });
/** Each operation costs 100 µs on the node and 200 µs in PostgreSQL, except those that have only one part. */
const costs: Costs = {
  ...{ read: cost(100, 200), list: cost(100, 200), embed: cost(100, 200) },
  ...{ insert: cost(100, 200), update: cost(100, 200), remove: cost(100, 200) },
  ...{ account: cost(0, 0), refresh: cost(0, 0), signIn: cost(0, 0) },
  ...{ download: cost(0, 0), upload: cost(0, 0), change: cost(100, 0), delivery: cost(10, 0) },
  socketKiB: 1024,
  nodeMiB: 0,
};
const load: Load = {
  ...{ monthlyUsers: 0, requests: 10_000, changes: 0, recipients: 1 },
  ...{ sockets: 0, downloads: 0, uploads: 0, storedGiB: 0 },
};
const sizes: Sizes = {
  ...{ nodeCores: 1, nodeGiB: 1, databaseCores: 8, use: 0.5 },
  ...{ connectionsPerNode: 50, maxConnections: 100 },
};
const need = (given: Load, part: string, machines = sizes) =>
  answer(given, costs, machines).needs.find((each) => each.part === part);

test('the requests determine the number of nodes', () => {
  // 10,000 requests of 100 µs use one core, and half of a core may be used.
  expect(answer(load, costs, sizes)).toMatchObject({ nodes: 2, replicas: 0 });
  expect(need(load, 'nodes-cpu')).toEqual({ part: 'nodes-cpu', amount: expect.closeTo(1), limit: 0.5 });
});

test('the sockets determine the number of nodes if they need more memory than the requests need CPU', () => {
  expect(answer({ ...load, sockets: 2000 }, costs, sizes).nodes).toBe(4);
});

test('replicas are used only if the primary isn’t sufficient, and take over the reads', () => {
  expect(need(load, 'primary')?.amount).toBeCloseTo(2);
  const heavy = { ...load, requests: 30_000 };
  const { replicas } = answer(heavy, costs, sizes);
  // The reads are 90 % of the requests: 5.4 cores, of which a replica provides 4.
  expect(replicas).toBe(2);
  expect(need(heavy, 'primary')?.amount).toBeCloseTo(0.6);
});

test('the first limit is the part that can’t be multiplied and is used most', () => {
  expect(answer(load, costs, sizes).first.part).toBe('connections');
  const many = { ...sizes, maxConnections: 10_000 };
  expect(answer(load, costs, many).first.part).toBe('primary');
  const changes = answer({ ...load, requests: 0, changes: 10_000 }, costs, many);
  expect(changes.first.part).toBe('change-reader');
  expect(shareOf(changes.first)).toBeCloseTo(2);
  expect(describeAnswer(load, changes)).toContain('Reader of the changes (200 %)');
});

test('users sign in and refresh their sessions', () => {
  const signIns = { ...costs, signIn: cost(50_000, 1000), refresh: cost(100, 400) };
  const users = { ...load, requests: 0, monthlyUsers: 3_000_000 };
  const { needs } = answer(users, signIns, sizes);
  // 200,000 sign-ins and 1.8 million refreshes a day, with twice the average rate over 12 hours at the busiest time.
  const perSecond = (perDay: number): number => (perDay * 2) / (12 * 3600);
  expect(needs[0]?.amount).toBeCloseTo(perSecond(200_000) * 0.05 + perSecond(1_800_000) * 0.0001);
});
