/** Tests broadcast and presence with the stock client. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, joined, startRealtime, until } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await startRealtime();
});
afterAll(() => h.stop());

test('a broadcast is delivered to others, and to the sender only with self', async () => {
  const seen: string[] = [];
  const one = h.client().channel('room', { config: { broadcast: { ack: true } } });
  const two = h.client().channel('room', { config: { broadcast: { self: true, ack: true } } });
  one.on('broadcast', { event: '*' }, ({ event, payload }) => seen.push(`one ${event} ${payload.n}`));
  two.on('broadcast', { event: '*' }, ({ event, payload }) => seen.push(`two ${event} ${payload.n}`));
  await Promise.all([joined(one), joined(two)]);
  expect(await one.send({ type: 'broadcast', event: 'a', payload: { n: 1 } })).toBe('ok');
  await until(() => seen.length === 1);
  expect(await two.send({ type: 'broadcast', event: 'b', payload: { n: 2 } })).toBe('ok');
  await until(() => seen.length === 3);
  expect(seen.sort()).toEqual(['one b 2', 'two a 1', 'two b 2']);
});

test('binary payloads arrive unchanged', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const sender = h.client().channel('binary');
  const receiver = h.client().channel('binary');
  const got = new Promise<ArrayBuffer>((resolve) => {
    receiver.on('broadcast', { event: 'blob' }, ({ payload }) => resolve(payload));
  });
  await Promise.all([joined(sender), joined(receiver)]);
  await sender.send({ type: 'broadcast', event: 'blob', payload: bytes.buffer });
  expect(new Uint8Array(await got)).toEqual(bytes);
});

test('public and private channels with the same name are separate', async () => {
  await h.sql(
    `create policy everyone on realtime.messages for all to authenticated using (realtime.topic() = 'twin') with check (true)`,
  );
  const seen: string[] = [];
  const open = h.client('00000000-0000-4000-8000-000000000001').channel('twin');
  const closed = h
    .client('00000000-0000-4000-8000-000000000001')
    .channel('twin', { config: { private: true, broadcast: { self: true } } });
  open.on('broadcast', { event: 'x' }, () => seen.push('public'));
  closed.on('broadcast', { event: 'x' }, () => seen.push('private'));
  await Promise.all([joined(open), joined(closed)]);
  await closed.send({ type: 'broadcast', event: 'x', payload: {} });
  await until(() => seen.length > 0);
  expect(seen).toEqual(['private']);
});

test('web pages of other origins can send broadcasts over HTTP', async () => {
  for (const path of ['broadcast', 'broadcast/room/events/x']) {
    const response = await fetch(`${h.url}/realtime/v1/api/${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,content-type',
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')).toBe('apikey,content-type');
  }
});

test('broadcasts over HTTP work with one or many messages, and before the join', async () => {
  const seen: unknown[] = [];
  const channel = h.client().channel('http');
  channel.on('broadcast', { event: '*' }, ({ event, payload, meta }) => seen.push([event, payload, meta]));
  await joined(channel);
  const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${h.url}/realtime/v1/api/${path}`, {
      method: 'POST',
      headers: { apikey: h.keys.publishableKey, 'content-type': 'application/json', ...headers },
      body,
    });
  const batch = await post(
    'broadcast',
    JSON.stringify({ messages: [{ topic: 'http', event: 'm', payload: { n: 1 }, id: 'i1' }] }),
  );
  expect([batch.status, await batch.text()]).toEqual([202, '']);
  expect((await post('broadcast/http/events/single', '{"n":2}')).status).toBe(202);
  const early = h.client().channel('http');
  expect(await early.httpSend('early', { n: 3 })).toEqual({ success: true });
  await until(() => seen.length === 3);
  expect(seen).toEqual([
    ['m', { n: 1 }, { id: 'i1' }],
    ['single', { n: 2 }, undefined],
    ['early', { n: 3 }, undefined],
  ]);
  expect(await (await post('broadcast', '{"messages":[{"topic":"x"}]}')).json()).toEqual({
    errors: { messages: [{ event: ["can't be blank"], payload: ["can't be blank"] }] },
  });
  expect((await post('broadcast/http/events/x', 'a', { 'content-type': 'text/plain' })).status).toBe(415);
  const denied = await post('broadcast/http/events/x?private=true', '{}');
  expect([denied.status, await denied.json()]).toEqual([403, { message: 'Unauthorized' }]);
  const anonymous = await fetch(`${h.url}/realtime/v1/api/broadcast`, { method: 'POST', body: '{}' });
  expect([anonymous.status, await anonymous.json()]).toEqual([401, { message: 'Unauthorized' }]);
});

test('presence reports its state, joins, updates and leaves', async () => {
  const watcher = h.client().channel('lobby', { config: { presence: { key: 'watcher' } } });
  const events: string[] = [];
  watcher.on('presence', { event: 'join' }, ({ key, newPresences }) => {
    if (newPresences.length > 0) events.push(`join ${key} ${newPresences[0]?.mood}`);
  });
  watcher.on('presence', { event: 'leave' }, ({ key, leftPresences }) => {
    if (leftPresences.length > 0) events.push(`leave ${key} ${leftPresences[0]?.mood}`);
  });
  await joined(watcher);
  const visitorClient = h.client();
  const visitor = visitorClient.channel('lobby', { config: { presence: { key: 'visitor' } } });
  await joined(visitor);
  expect(await visitor.track({ mood: 'good' })).toBe('ok');
  await until(() => events.includes('join visitor good'));
  expect(await visitor.track({ mood: 'better' })).toBe('ok');
  await until(() => events.includes('join visitor better') && events.includes('leave visitor good'));
  expect(Object.keys(watcher.presenceState())).toEqual(['visitor']);
  const late = h.client().channel('lobby');
  let state: Record<string, unknown[]> | undefined;
  late.on('presence', { event: 'sync' }, () => {
    state = late.presenceState();
  });
  await joined(late);
  expect(await until(() => state?.visitor)).toMatchObject([{ mood: 'better' }]);
  await visitorClient.realtime.disconnect();
  await until(() => events.includes('leave visitor better'));
  expect(watcher.presenceState()).toEqual({});
});

test('a channel that joins without presence receives the state when it tracks', async () => {
  const early = h.client().channel('hall', { config: { presence: { key: 'early' } } });
  early.on('presence', { event: 'sync' }, () => {});
  await joined(early);
  expect(await early.track({ n: 1 })).toBe('ok');
  const late = h.client().channel('hall', { config: { presence: { key: 'late' } } });
  await joined(late);
  expect(late.presenceState()).toEqual({});
  expect(await late.track({ n: 2 })).toBe('ok');
  await until(() => Object.keys(late.presenceState()).length === 2);
  expect(late.presenceState()).toMatchObject({ early: [{ n: 1 }], late: [{ n: 2 }] });
  expect(await early.untrack()).toBe('ok');
  await until(() => late.presenceState().early === undefined);
});

test('realtime.send and send_binary deliver a message with its ID after commit', async () => {
  const seen: [string, unknown, unknown][] = [];
  const channel = h.client().channel('db');
  channel.on('broadcast', { event: '*' }, ({ event, payload, meta }) => seen.push([event, payload, meta]));
  await joined(channel);
  await h.sql(`
    select realtime.send('{"n": 1}', 'json', 'db', false);
    select realtime.send_binary('\\x00ff', 'bytes', 'db', false);
    select realtime.send('[1]', 'never', 'db', false)`);
  await until(() => seen.length === 2);
  const [json, bytes] = seen as [
    [string, { n: number; id: string }, { id: string }],
    [string, ArrayBuffer, unknown],
  ];
  expect(json[1]).toEqual({ n: 1, id: json[2].id });
  expect(Buffer.from(bytes[1])).toEqual(Buffer.from([0, 255]));
});

test('messages that the database sends before a join aren’t repeated after it', async () => {
  const seen: unknown[] = [];
  const fresh = await startRealtime();
  try {
    await fresh.sql(`select realtime.send('{"n": 1}', 'e', 'late', false)`);
    const channel = fresh.client().channel('late');
    channel.on('broadcast', { event: '*' }, ({ payload }) => seen.push(payload.n));
    await joined(channel);
    // Messages aren't lost even if the stream isn't open yet.
    await fresh.sql(`select realtime.send('{"n": 2}', 'e', 'late', false)`);
    await fresh.sql(`select realtime.send('{"n": 3}', 'e', 'late', false)`);
    await until(() => seen.length === 2);
    expect(seen).toEqual([2, 3]);
  } finally {
    await fresh.stop();
  }
});
