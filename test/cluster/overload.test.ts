/**
 * Tests that slow calls don't delay fast reads on either of two API workers, and that both workers reject excess calls.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    // Each worker receives half of the limit.
    config: { plinth: { rest: { max_waiting_slow: 4 } } },
    sql: `create table public.items (id int primary key);
          insert into public.items values (1);
          grant select on public.items to anon;
          create function public.sleep(seconds float8) returns void language sql stable as 'select pg_sleep(seconds)';`,
  });
});
afterAll(() => world.stop());

it('excess slow calls on two workers are rejected, and both workers keep serving fast reads', async () => {
  const [one, other] = [await world.client(), await world.client()];
  const { url, keys } = world.backend;
  const sleeping = Array.from({ length: 60 }, async () => {
    const response = await fetch(`${url}/rest/v1/rpc/sleep?seconds=1`, {
      headers: { apikey: keys.publishableKey },
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  });
  let isOver = false;
  const settled = Promise.all(sleeping).finally(() => {
    isOver = true;
  });
  const readsWhileSleeping = await Promise.all(
    [one, other].map(async (client) => {
      let reads = 0;
      while (!isOver) {
        const { status, text } = await client.call('/rest/v1/items');
        expect([status, text]).toEqual([200, '[{"id":1}]']);
        reads++;
      }
      return reads;
    }),
  );
  const calls = await settled;
  // If reads waited for the sleeping calls, fewer than 10 reads would be complete before the calls end.
  for (const reads of readsWhileSleeping) expect(reads).toBeGreaterThan(10);
  const rejected = calls.filter(({ status }) => status === 503);
  expect(rejected.length).toBeGreaterThan(30);
  for (const { retryAfter } of rejected) expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([204, 503]));
});
