/**
 * Tests that clients take turns when they join private channels, so that many joins of one client don't delay another
 * client's first join.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startRealtime } from './harness.ts';
import { openRaw, type RawSocket } from './raw-socket.ts';

const busy = '00000000-0000-4000-8000-00000000000a';
const quiet = '00000000-0000-4000-8000-00000000000b';
const joins = 500;
const perSocket = 100;
let h: Harness;

beforeAll(async () => {
  h = await startRealtime();
  // Evaluating the policy takes a while, as if the policy joined several tables.
  await h.sql(`
    create function public.slow_check() returns boolean language plpgsql as $$
      begin perform pg_sleep(0.01); return true; end $$;
    create policy "slow" on realtime.messages for select to authenticated, anon using (public.slow_check());
  `);
});
afterAll(() => h.stop());

function join(socket: RawSocket, number: number, user?: string): void {
  const payload = {
    config: { private: true },
    ...(user === undefined ? {} : { access_token: h.token(user) }),
  };
  socket.send({ topic: `realtime:room-${number}`, event: 'phx_join', ref: String(number), payload });
}

const replies = (sockets: readonly RawSocket[]): number =>
  sockets.flatMap(({ frames }) => frames).filter(({ event }) => event === 'phx_reply').length;

test.each([
  ['a user', busy, quiet],
  // Both clients use the same IP address, but only one of them is signed in.
  ['a user without an account', undefined, quiet],
])(
  '%s with 500 joins does not delay another user',
  async (_who, one, other) => {
    const sockets = await Promise.all(
      Array.from({ length: joins / perSocket }, () => openRaw(h.socketUrl(undefined, '1.0.0'))),
    );
    for (let number = 0; number < joins; number++)
      join(sockets[number % sockets.length] as RawSocket, number, one);
    const own = await openRaw(h.socketUrl(undefined, '1.0.0'));
    // The test waits until the server has begun to check the first client's joins.
    await expect.poll(() => replies(sockets)).toBeGreaterThan(10);
    const before = replies(sockets);
    join(own, 1, other);
    const { payload } = await own.next(({ event }) => event === 'phx_reply');
    expect(payload.status).toBe('ok');
    // Unless clients took turns, all other joins would be completed first.
    expect(replies(sockets)).toBeLessThan(before + (joins - before) / 2);
    await expect.poll(() => replies(sockets), { timeout: 60_000 }).toBe(joins);
    for (const socket of [...sockets, own]) socket.close();
  },
  90_000,
);
