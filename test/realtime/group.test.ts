/**
 * Tests two processes on one database, with every transport. Broadcasts and presence must be visible in both processes,
 * and each subscriber must receive each change once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, joined, type Served, startRealtime, subscribed, until } from './harness.ts';
import { natsServer, startNats, type TestNats } from './nats-server.ts';
import { openRaw, userBroadcast } from './raw-socket.ts';

const lease = { aliveMs: 100, leaseMs: 1500 };
if (natsServer === undefined) console.log('nats-server is not installed: the bus over NATS is not tested');

let nats: TestNats | undefined;
beforeAll(async () => {
  if (natsServer !== undefined) nats = await startNats({ jetStream: true });
});
afterAll(() => nats?.stop());

describe.each(['postgres', ...(natsServer === undefined ? [] : ['nats' as const])] as const)(
  'over %s',
  (bus) => {
    let a: Harness;
    let b: Served;
    let topics = 0;
    const topic = (): string => `${bus}-${topics++}`;

    beforeAll(async () => {
      const settings = bus === 'nats' ? { bus, nats_url: nats?.url } : { bus };
      a = await startRealtime({ settings, lease });
      await a.sql(`
      create table public.notes (id int primary key, text text);
      grant all on public.notes to anon, authenticated, service_role;
      alter publication supabase_realtime add table public.notes;
      create policy "all read" on realtime.messages for select to authenticated using (true);
      create policy "all write" on realtime.messages for insert to authenticated with check (true)`);
      b = await a.another();
      await bothHear();
    });
    afterAll(async () => {
      await b.stop();
      await a.stop();
    });

    /** Waits until a broadcast from each process arrives in the other process. */
    async function bothHear(): Promise<void> {
      const name = topic();
      const [left, right] = [a.client().channel(name), b.client().channel(name)];
      const heard = new Set<string>();
      left.on('broadcast', { event: 'right' }, () => heard.add('left'));
      right.on('broadcast', { event: 'left' }, () => heard.add('right'));
      await Promise.all([joined(left), joined(right)]);
      await until(() => {
        void left.send({ type: 'broadcast', event: 'left', payload: {} });
        void right.send({ type: 'broadcast', event: 'right', payload: {} });
        return heard.size === 2;
      });
    }

    test('broadcasts in every format arrive once and in order in the right channels', async () => {
      const name = topic();
      const sender = await openRaw(a.socketUrl());
      const receiver = await openRaw(b.socketUrl());
      const old = await openRaw(b.socketUrl(b.keys.anonKey, '1.0.0'));
      const join = ['1', '1', `realtime:${name}`, 'phx_join', { config: {} }];
      const elsewhere = b
        .client('00000000-0000-4000-8000-00000000000a')
        .channel(name, { config: { private: true } });
      const crossed: unknown[] = [];
      elsewhere.on('broadcast', { event: '*' }, (message) => crossed.push(message));
      await joined(elsewhere);
      for (const socket of [sender, receiver]) {
        socket.send(join);
        await socket.next((frame) => frame[3] === 'phx_reply');
      }
      old.send({
        topic: `realtime:${name}`,
        event: 'phx_join',
        payload: { config: {} },
        ref: '1',
        join_ref: '1',
      });
      await old.next((frame) => frame.event === 'phx_reply');

      const binary = Buffer.from([0, 255, 1, 254]);
      sender.sendBytes(userBroadcast(`realtime:${name}`, 'bytes', 0, binary));
      sender.sendBytes(
        userBroadcast(`realtime:${name}`, 'json', 1, Buffer.from('{"big":12345678901234567890}')),
      );
      // This text is far larger than the maximum size of a NOTIFY payload.
      const large = JSON.stringify({ text: 'ü\u0000'.repeat(100_000) });
      sender.sendBytes(userBroadcast(`realtime:${name}`, 'large', 1, Buffer.from(large)));
      sender.sendText(
        `["1","2","realtime:${name}","broadcast",{"type":"broadcast","event":"text","payload":{"n":1.0}}]`,
      );
      const text = await receiver.next((frame) => !Buffer.isBuffer(frame) && frame[3] === 'broadcast');
      expect(text[4]).toEqual({ type: 'broadcast', event: 'text', payload: { n: 1 } });
      const frames = receiver.frames.filter((frame) => Buffer.isBuffer(frame)) as Buffer[];
      expect(frames).toHaveLength(3);
      expect(frames[0]?.subarray(-4)).toEqual(binary);
      expect(frames[1]?.toString()).toContain('{"big":12345678901234567890}');
      expect(frames[2]?.subarray(-Buffer.byteLength(large)).toString()).toBe(large);
      await old.next((frame) => frame.payload.event === 'text');
      expect(old.frames.map(({ payload }) => payload.event)).toEqual(['json', 'large']);
      expect(sender.frames.filter((frame) => Buffer.isBuffer(frame) || frame[3] === 'broadcast')).toEqual([]);
      expect(crossed).toEqual([]);
      for (const socket of [sender, receiver, old]) socket.close();
    });

    test('many broadcasts arrive in the order in which they were sent', async () => {
      const name = topic();
      const seen: number[] = [];
      const receiver = b.client().channel(name);
      receiver.on('broadcast', { event: 'n' }, ({ payload }) => seen.push(payload.n));
      const sender = a.client().channel(name);
      await Promise.all([joined(receiver), joined(sender)]);
      const numbers = Array.from({ length: 2000 }, (_, n) => n);
      for (const n of numbers) void sender.send({ type: 'broadcast', event: 'n', payload: { n } });
      await until(() => seen.length >= numbers.length);
      expect(seen).toEqual(numbers);
    });

    test('broadcasts over REST reach a private channel on the other process', async () => {
      const name = topic();
      const seen: unknown[] = [];
      const user = '00000000-0000-4000-8000-00000000000a';
      const receiver = b.client(user).channel(name, { config: { private: true } });
      receiver.on('broadcast', { event: 'rest' }, ({ payload }) => seen.push(payload));
      await joined(receiver);
      const response = await fetch(`${a.url}/realtime/v1/api/broadcast`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${a.token(user)}` },
        body: JSON.stringify({
          messages: [{ topic: name, event: 'rest', payload: { n: 1 }, private: true }],
        }),
      });
      expect(response.status).toBe(202);
      await until(() => seen.length > 0);
      expect(seen).toEqual([{ n: 1 }]);
    });

    test('each subscriber of each process receives changes and broadcasts from the database once', async () => {
      const name = topic();
      const seen: Record<string, string[]> = { a: [], b: [] };
      const ready: Promise<unknown>[] = [];
      for (const [where, harness] of Object.entries({ a, b })) {
        const list = seen[where] as string[];
        const user = '00000000-0000-4000-8000-00000000000a';
        const changes = harness.client(user).channel(`${name}-changes`);
        changes.on(
          'postgres_changes',
          { event: 'INSERT', schema: 'public', table: 'notes' },
          ({ new: row }) => list.push(`change ${row.id}`),
        );
        const messages = harness.client(user).channel(name, { config: { private: true } });
        messages.on('broadcast', { event: 'sent' }, ({ payload }) => list.push(`sent ${payload.n}`));
        ready.push(subscribed(changes), joined(messages));
      }
      await Promise.all(ready);
      await a.sql(
        `insert into public.notes select n, 'x' from generate_series(1, 50) n;
       select realtime.send(jsonb_build_object('n', n), 'sent', '${name}') from generate_series(1, 50) n`,
      );
      const wanted = ['change', 'sent'].flatMap((what) =>
        Array.from({ length: 50 }, (_, n) => `${what} ${n + 1}`),
      );
      await until(() => Object.values(seen).every((list) => list.length >= wanted.length));
      // If there were a duplicate, it would arrive before the last row.
      await a.sql(`insert into public.notes values (0, 'last')`);
      await until(() => Object.values(seen).every((list) => list.includes('change 0')));
      for (const list of Object.values(seen))
        expect(list.toSorted()).toEqual([...wanted, 'change 0'].toSorted());
    });

    const present = async (harness: Served, name: string, key?: string) => {
      const channel = harness.client().channel(name, { config: { presence: { key: key ?? '' } } });
      channel.on('presence', { event: 'sync' }, () => {});
      await joined(channel);
      if (key !== undefined) expect(await channel.track({ key })).toBe('ok');
      return { channel, keys: () => Object.keys(channel.presenceState()).toSorted() };
    };

    test('presence in one process is visible in the other, even to clients that join later', async () => {
      const name = topic();
      const left = await present(a, name, 'left');
      const right = await present(b, name, 'right');
      await until(() => left.keys().length === 2 && right.keys().length === 2);
      const late = await present(b, name);
      await until(() => late.keys().length > 0);
      expect(late.keys()).toEqual(['left', 'right']);
      const alone = await present(a, `${name}-b`, 'elsewhere');
      await left.channel.track({ key: 'changed' });
      await until(() => JSON.stringify(right.channel.presenceState()).includes('changed'));
      await left.channel.unsubscribe();
      await until(() => right.keys().length === 1 && late.keys().length === 1);
      expect(right.keys()).toEqual(['right']);
      expect(alone.keys()).toEqual(['elsewhere']);
    });

    test('a new process receives the presence state, and its members are removed when it stops', async () => {
      const name = topic();
      const before = await present(a, name, 'before');
      const third = await a.another();
      const there = await present(third, name, 'third');
      await until(() => there.keys().length === 2 && before.keys().length === 2);
      await third.stop();
      await until(() => before.keys().length === 1);
      expect(before.keys()).toEqual(['before']);
    });

    test('messages that another role sends to the bus are ignored', async () => {
      if (bus !== 'postgres') return;
      const name = topic();
      const seen: string[] = [];
      const receiver = b.client().channel(name);
      receiver.on('broadcast', { event: '*' }, ({ event }) => seen.push(event));
      const sender = a.client().channel(name);
      await Promise.all([joined(receiver), joined(sender)]);
      const session = await a.database.pool('postgres').connect();
      const unlisten = await a.database.listen('plinth_realtime', (payload) => overheard.push(payload));
      const overheard: string[] = [];
      await sender.send({ type: 'broadcast', event: 'secret-word', payload: {} });
      await until(() => seen.length === 1 && overheard.length > 0);
      for (const payload of [...overheard, 'AAAA', '', 'x'.repeat(5000)])
        await session.query(sql`select pg_notify('plinth_realtime', ${payload})`);
      session.release();
      await sender.send({ type: 'broadcast', event: 'after', payload: {} });
      await until(() => seen.includes('after'));
      expect(seen).toEqual(['secret-word', 'after']);
      for (const payload of overheard)
        expect(Buffer.from(payload, 'base64').toString('latin1')).not.toContain('secret-word');
      await unlisten();
    });
  },
);
