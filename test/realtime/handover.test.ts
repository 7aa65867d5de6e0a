/**
 * Tests that the clients of a process that ends continue without missing changes. After a planned stop, each change
 * arrives once. After a kill, changes can arrive again, and the clients are told so. The clients are stock clients, which
 * join again by themselves.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Harness, type HarnessOptions, startRealtime, subscribed, until } from './harness.ts';
import { natsServer, startNats, type TestNats } from './nats-server.ts';
import { openRaw } from './raw-socket.ts';

const lease = { aliveMs: 100, leaseMs: 1500 };
const [alice, bob] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
] as const;
const processFile = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));

describe.each(['postgres', ...(natsServer === undefined ? [] : ['nats' as const])] as const)(
  'over %s',
  (bus) => {
    let nats: TestNats | undefined;
    let a: Harness;
    let balancer: Balancer;
    let options: HarnessOptions;
    const children: ChildProcess[] = [];

    beforeAll(async () => {
      if (bus === 'nats') nats = await startNats({ jetStream: true });
      options = { settings: nats === undefined ? { bus } : { bus, nats_url: nats.url }, lease };
      a = await startRealtime({ ...options, settings: { bus: 'process' } });
      await a.sql(`
        create table public.rows (id int primary key, owner uuid);
        alter table public.rows enable row level security;
        create policy own on public.rows for select using (owner = (select auth.uid()) or owner is null);
        create table public.seen (id int primary key);
        grant all on public.rows, public.seen to anon, authenticated, service_role;
        alter publication supabase_realtime add table public.rows, public.seen`);
      balancer = await startBalancer();
    });
    afterEach(() => a.sql('truncate public.rows, public.seen'));
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL');
      await balancer.stop();
      await a.stop();
      await nats?.stop();
    });

    async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
      const parameters = { place: a.place, name: a.databaseName, options };
      const child = spawn(process.execPath, [processFile, JSON.stringify(parameters)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const url = await new Promise<string>((resolve) =>
        createInterface({ input: child.stdout }).once('line', resolve),
      );
      return { child, url };
    }

    async function listener(topic: string, userId?: string, table = 'rows') {
      const changes: number[] = [];
      const statuses: string[] = [];
      const channel = a.clientAt(balancer.url, userId).channel(topic);
      channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table }, ({ new: row }) =>
        changes.push(row.id),
      );
      channel.on('system', {}, ({ extension, status, message }) => {
        if (extension === 'postgres_changes') statuses.push(`${status} ${message}`);
      });
      await subscribed(channel);
      return { channel, changes, statuses };
    }

    /** Writes a row for each user and one for everyone, at 200 transactions per second. */
    async function write(count: number, on: Record<number, () => void>): Promise<void> {
      const startedAt = performance.now();
      for (let n = 1; n <= count; n++) {
        on[n]?.();
        await a.sql(`
          insert into public.rows values (${n * 3}, '${alice}'), (${n * 3 + 1}, '${bob}'), (${n * 3 + 2}, null);
          insert into public.seen values (${n})`);
        const dueIn = n * 5 - (performance.now() - startedAt);
        if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
      }
    }

    const idsOf = (count: number, kinds: readonly number[]): number[] =>
      Array.from({ length: count }, (_, index) => kinds.map((kind) => (index + 1) * 3 + kind)).flat();

    const subscribedText = 'ok Subscribed to PostgreSQL';

    test('a process that stops hands its clients over, and each change arrives once', async () => {
      const first = await a.another(options);
      const second = await a.another(options);
      balancer.point(first.url);
      const listeners = [
        { kinds: [0, 2], ...(await listener('mine', alice)) },
        { kinds: [0, 2], ...(await listener('mine', alice)) },
        { kinds: [1, 2], ...(await listener('mine', bob)) },
        { kinds: [2], ...(await listener('mine')) },
        { kinds: [2], ...(await listener('mine')) },
      ];
      const open = await listener('open', bob, 'seen');
      const count = 600;
      let ended: Promise<void> | undefined;
      await write(count, {
        200: () => {
          balancer.point(second.url);
          ended = first.end(500);
        },
      });
      await ended;
      for (const { kinds, changes, statuses } of listeners) {
        const expected = idsOf(count, kinds);
        await until(() => changes.includes(expected.at(-1) as number));
        expect(changes).toEqual(expected);
        expect(statuses).toEqual([subscribedText, subscribedText]);
      }
      await until(() => open.changes.length >= count);
      expect(open.changes).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      for (const { channel } of [...listeners, open]) await channel.unsubscribe();
      await second.stop();
    });

    test('after a restart, clients receive what was committed while no process ran', async () => {
      const first = await a.another(options);
      balancer.point(first.url);
      const { channel, changes } = await listener('restart', alice);
      await a.sql(`insert into public.rows values (1, '${alice}')`);
      await until(() => changes.length === 1);
      await first.end(0);
      await a.sql(
        `insert into public.rows values (2, '${alice}'), (3, '${bob}'); delete from public.rows where id = 1`,
      );
      const second = await a.another(options);
      balancer.point(second.url);
      await until(() => changes.length >= 2);
      await a.sql(`insert into public.rows values (4, '${alice}')`);
      await until(() => changes.includes(4));
      expect(changes).toEqual([1, 2, 4]);
      await channel.unsubscribe();
      await second.stop();
    });

    test('another user, another channel and a new client of the same user receive nothing from before', async () => {
      const first = await a.another(options);
      balancer.point(first.url);
      await listener('private', alice);
      await first.end(0);
      await a.sql(`insert into public.rows values (1, '${alice}')`);
      const second = await a.another(options);
      const session = { session_id: '1' };
      const entry = { event: 'INSERT', schema: 'public', table: 'rows' };
      const join = async (ref: string, topic: string, token: string, changes: object = entry) => {
        const socket = await openRaw(second.socketUrl());
        socket.send([
          ref,
          ref,
          `realtime:${topic}`,
          'phx_join',
          { config: { postgres_changes: [changes] }, access_token: token },
        ]);
        await socket.next((frame) => frame[3] === 'system' && frame[4].status === 'ok');
        return socket;
      };
      const sockets = [
        await join('50', 'private', second.token(bob, session)),
        await join('50', 'private', second.token(alice, session)),
        await join('50', 'elsewhere', second.token(alice)),
        await join('50', 'private', second.token(alice), { ...entry, event: '*' }),
        await join('1', 'private', second.token(alice)),
      ];
      await a.sql('insert into public.rows values (2, null)');
      const received = await Promise.all(
        sockets.map(async (socket) => {
          const frames = [];
          do frames.push(await socket.next((frame) => frame[3] === 'postgres_changes'));
          while (frames.at(-1)[4].data.record.id !== 2);
          socket.close();
          return frames.map((frame) => frame[4].data.record.id);
        }),
      );
      expect(received).toEqual(sockets.map(() => [2]));
      await second.stop();
    });

    test('what a user may not see anymore isn’t delivered afterwards', async () => {
      const first = await a.another(options);
      balancer.point(first.url);
      const { channel, changes } = await listener('revoked', alice);
      await first.end(0);
      await a.sql(`
        insert into public.rows values (1, '${alice}'), (2, '${alice}');
        update public.rows set owner = '${bob}' where id = 1`);
      const second = await a.another(options);
      balancer.point(second.url);
      await until(() => changes.length > 0);
      expect(changes).toEqual([2]);
      await channel.unsubscribe();
      await second.stop();
    });

    test('the clients of a process that was killed miss nothing and are told that changes can be repeated', async () => {
      const killed = await startProcess();
      const second = await a.another(options);
      balancer.point(killed.url);
      const listeners = [
        { kinds: [0, 2], ...(await listener('killed', alice)) },
        { kinds: [1, 2], ...(await listener('killed', bob)) },
      ];
      const count = 600;
      await write(count, {
        300: () => {
          balancer.point(second.url);
          killed.child.kill('SIGKILL');
        },
      });
      for (const { kinds, changes, statuses, channel } of listeners) {
        const expected = idsOf(count, kinds);
        await until(() => changes.includes(expected.at(-1) as number));
        expect([...new Set(changes)].toSorted((x, y) => x - y)).toEqual(expected);
        // At most the changes of about a second are repeated.
        expect(changes.length - expected.length).toBeLessThan(1000);
        await until(() => statuses.length >= 3);
        expect(statuses.slice(0, 2)).toEqual([subscribedText, subscribedText]);
        expect(statuses[2]).toMatch(
          /^ok Changes since \d{4}-\d\d-\d\dT[\d:.]+Z were sent again because a server process ended$/,
        );
        await channel.unsubscribe();
      }
      await second.stop();
    });

    test('clients that can’t be told apart miss nothing if their processes end at different positions', async () => {
      const [first, second, third] = [
        await a.another(options),
        await a.another(options),
        await a.another(options),
      ];
      const listeners = [];
      for (const { url } of [first, second, first, second]) {
        balancer.point(url);
        listeners.push(await listener('same'));
      }
      const count = 400;
      const ended: Promise<void>[] = [];
      await write(count, {
        100: () => {
          // No client can join again until both processes have ended.
          balancer.point('http://127.0.0.1:1');
          ended.push(first.end(1));
        },
        250: () => ended.push(second.end(1)),
      });
      await Promise.all(ended);
      balancer.point(third.url);
      for (const { changes, statuses, channel } of listeners) {
        const expected = idsOf(count, [2]);
        await until(() => changes.includes(expected.at(-1) as number));
        expect([...new Set(changes)].toSorted((x, y) => x - y)).toEqual(expected);
        if (changes.length > expected.length) await until(() => statuses.length >= 3);
        expect(statuses.some((text) => text.includes('missed'))).toBe(false);
        await channel.unsubscribe();
      }
      await third.stop();
    });

    test('if the changes aren’t available anymore, clients are told that they may have missed some', async () => {
      const first = await a.another(options);
      balancer.point(first.url);
      const { channel, statuses } = await listener('lost', alice);
      await first.end(0);
      const admin = a.database.pool('supabase_admin');
      await admin.query(
        sql`update _plinth.realtime_nodes set ended_at = now() - interval '1 minute' where planned`,
      );
      const second = await a.another(options);
      balancer.point(second.url);
      await until(() => statuses.length >= 3);
      expect(statuses).toEqual([
        subscribedText,
        subscribedText,
        "error Changes may have been missed because they aren't available anymore",
      ]);
      await channel.unsubscribe();
      await second.stop();
    });
  },
);
