/** Tests the protocol without the stock client: handshakes, frames, refs, closed sockets, limits and attacks. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Harness, signed, startRealtime, until } from './harness.ts';
import { openRaw, userBroadcast } from './raw-socket.ts';

let h: Harness;
beforeAll(async () => {
  h = await startRealtime();
});
afterAll(() => h.stop());

const reply = (ref: string) => (frame: unknown[]) => frame[1] === ref && frame[3] === 'phx_reply';
const event = (name: string) => (frame: unknown[]) => frame[3] === name;
const config = (more: object = {}) => ({ config: { broadcast: { ack: false, self: true }, ...more } });

async function handshake(query: string): Promise<[number, unknown]> {
  const { default: http } = await import('node:http');
  const { port } = new URL(h.url);
  return new Promise((resolve, reject) => {
    const request = http.get({
      port,
      path: `/realtime/v1/websocket?${query}`,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      },
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve([101, undefined]);
    });
    request.on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve([response.statusCode ?? 0, JSON.parse(body)]);
    });
    request.on('error', reject);
  });
}

test('handshakes accept valid keys and reject others with a reason', async () => {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const { jwtSecret } = h.keys;
  expect(await handshake(`apikey=${h.keys.publishableKey}&vsn=2.0.0`)).toEqual([101, undefined]);
  expect(await handshake(`apikey=${h.keys.secretKey}`)).toEqual([101, undefined]);
  expect(await handshake('vsn=2.0.0')).toEqual([401, { error: 'API key is missing' }]);
  expect(await handshake('apikey=nonsense')).toEqual([
    401,
    { error: 'The token provided is not a valid JWT' },
  ]);
  expect(await handshake('apikey=sb_publishable_wrong')).toEqual([
    401,
    { error: 'The token provided is not a valid JWT' },
  ]);
  expect(await handshake(`apikey=${signed('another secret', { role: 'anon', exp })}`)).toEqual([
    401,
    { error: 'Failed to validate JWT signature' },
  ]);
  expect(await handshake(`apikey=${signed(jwtSecret, { role: 'anon', exp: 1 })}`)).toEqual([
    401,
    { error: 'Token has expired' },
  ]);
  const early = { role: 'anon', exp: exp + 60, nbf: exp };
  expect(await handshake(`apikey=${signed(jwtSecret, early)}`)).toEqual([
    401,
    { error: 'Token is not valid yet' },
  ]);
  expect(await handshake(`apikey=${signed(jwtSecret, { exp })}`)).toEqual([
    401,
    { error: 'Fields `role` and `exp` are required in JWT' },
  ]);
});

test('heartbeat, join and leave return the right refs in order', async () => {
  const socket = await openRaw(h.socketUrl());
  socket.send([null, '1', 'phoenix', 'heartbeat', {}]);
  expect(await socket.next(reply('1'))).toEqual([
    null,
    '1',
    'phoenix',
    'phx_reply',
    { status: 'ok', response: {} },
  ]);
  socket.send(['2', '2', 'realtime:a', 'phx_join', config()]);
  expect(await socket.next(reply('2'))).toEqual([
    '2',
    '2',
    'realtime:a',
    'phx_reply',
    { status: 'ok', response: { postgres_changes: [] } },
  ]);
  socket.send(['3', '3', 'realtime:a', 'phx_join', config()]);
  expect(await socket.next(event('phx_close'))).toEqual(['2', '2', 'realtime:a', 'phx_close', {}]);
  await socket.next(reply('3'));
  socket.send(['3', '4', 'realtime:a', 'phx_leave', {}]);
  expect(await socket.next(reply('4'))).toEqual([
    '3',
    '4',
    'realtime:a',
    'phx_reply',
    { status: 'ok', response: {} },
  ]);
  expect(await socket.next(event('phx_close'))).toEqual(['3', '3', 'realtime:a', 'phx_close', {}]);
  socket.send(['3', '5', 'realtime:a', 'phx_leave', {}]);
  expect((await socket.next(reply('5')))[4]).toEqual({ status: 'ok', response: {} });
  for (const topic of ['realtime:a', 'other']) {
    socket.send(['3', '6', topic, 'broadcast', {}]);
    expect(await socket.next(reply('6'))).toEqual([
      null,
      '6',
      topic,
      'phx_reply',
      { status: 'error', response: { reason: 'unmatched topic' } },
    ]);
  }
  socket.send(['7', '7', 'realtime:', 'phx_join', config()]);
  expect((await socket.next(reply('7')))[4].response).toEqual({
    reason: 'TopicNameRequired: You must provide a topic name',
  });
  socket.close();
});

test('text is passed on unchanged between both protocol versions in one channel', async () => {
  const [one, two] = await Promise.all([
    openRaw(h.socketUrl(h.keys.anonKey, '1.0.0')),
    openRaw(h.socketUrl()),
  ]);
  one.send({ topic: 'realtime:v', event: 'phx_join', payload: config(), ref: '1', join_ref: '1' });
  two.send(['1', '1', 'realtime:v', 'phx_join', config()]);
  expect(await one.next((frame) => frame.event === 'phx_reply')).toEqual({
    topic: 'realtime:v',
    event: 'phx_reply',
    payload: { status: 'ok', response: { postgres_changes: [] } },
    ref: '1',
  });
  await two.next(reply('1'));
  // The raw bytes are checked, because JavaScript would change numbers above 2^53 and decimals with many digits.
  const { WebSocket } = await import('ws');
  const spy = new WebSocket(h.socketUrl());
  const texts: string[] = [];
  spy.on('message', (data) => texts.push(data.toString()));
  await new Promise((resolve) => spy.once('open', resolve));
  spy.send(JSON.stringify(['1', '1', 'realtime:v', 'phx_join', config()]));
  await until(() => texts.length > 0);
  one.sendText(
    '{"topic":"realtime:v","event":"broadcast","ref":"2","payload":{"type":"broadcast","event":"n","payload":{"big":12345678901234567890,"one":1.0},"extra":[1, 2]}}',
  );
  await until(() => texts.length > 1);
  expect(texts[1]).toContain(
    '{"type":"broadcast","event":"n","payload":{"big":12345678901234567890,"one":1.0},"extra":[1, 2]}',
  );
  expect((await one.next((frame) => frame.event === 'broadcast')).payload.event).toBe('n');
  await two.next(event('broadcast'));

  two.sendBytes(userBroadcast('realtime:v', 'j', 1, Buffer.from('{"a":1}')));
  expect((await one.next((frame) => frame.event === 'broadcast')).payload).toEqual({
    type: 'broadcast',
    event: 'j',
    payload: { a: 1 },
  });
  const binary = await two.next((frame) => Buffer.isBuffer(frame));
  expect([binary[0], binary[4], binary.subarray(5).toString()]).toEqual([4, 1, 'realtime:vj{"a":1}']);

  // The first message is declared as JSON but isn't valid JSON, and the second message consists of bytes. Neither
  // message may reach a socket with protocol version 1.0.0 or be injected into its frames.
  two.sendBytes(userBroadcast('realtime:v', 'evil', 1, Buffer.from('1},"event":"phx_close","payload":{')));
  two.sendBytes(userBroadcast('realtime:v', 'bytes', 0, Buffer.from([1, 2])));
  two.sendBytes(userBroadcast('realtime:v', 'last', 1, Buffer.from('"end"')));
  expect((await one.next((frame) => frame.event === 'broadcast')).payload.event).toBe('last');
  expect(one.frames).toEqual([]);
  for (const socket of [one, two]) socket.close();
  spy.terminate();
});

test('malformed frames are dropped, and the socket and its channels stay open', async () => {
  const socket = await openRaw(h.socketUrl());
  socket.send(['1', '1', 'realtime:m', 'phx_join', config()]);
  await socket.next(reply('1'));
  for (const text of [
    '',
    'x',
    '{}',
    '[]',
    '[1,2,3]',
    '[null,null,1,"a",{}]',
    '"text"',
    'null',
    '[null,null,"realtime:m","broadcast"]',
  ]) {
    socket.sendText(text);
  }
  for (const bytes of [
    [],
    [3],
    [3, 255, 255, 255, 255, 255, 1],
    [0, 1, 1, 1, 1],
    [9, 9, 9],
    [4, 1, 1, 0, 0, 97, 98],
  ]) {
    socket.sendBytes(Buffer.from(bytes));
  }
  socket.send(['1', '2', 'realtime:m', 'broadcast', 'no object']);
  socket.send(['1', '3', 'realtime:m', 'presence', null]);
  socket.send(['1', '4', 'realtime:m', 'access_token', { access_token: 7 }]);
  socket.send(['1', '5', 'realtime:m', 'whatever', {}]);
  socket.send([null, '6', 'phoenix', 'heartbeat', {}]);
  await socket.next(reply('6'));
  socket.sendBytes(userBroadcast('realtime:m', 'still', 1, Buffer.from('1')));
  await socket.next((frame) => Buffer.isBuffer(frame));
  expect(socket.closed).toBeUndefined();
  socket.close();
});

test('an oversized frame closes only its own socket', async () => {
  const [big, small] = await Promise.all([openRaw(h.socketUrl()), openRaw(h.socketUrl())]);
  big.sendText(`[null,"1","phoenix","heartbeat","${'x'.repeat(5_000_001)}"]`);
  await until(() => big.closed);
  expect(big.closed?.code).toBe(1009);
  small.send([null, '1', 'phoenix', 'heartbeat', {}]);
  await small.next(reply('1'));
  small.close();
});

test('a payload above the limit isn’t delivered, and the sender is notified if it requested ack', async () => {
  const socket = await openRaw(h.socketUrl());
  socket.send(['1', '1', 'realtime:s', 'phx_join', { config: { broadcast: { ack: true, self: true } } }]);
  await socket.next(reply('1'));
  socket.sendBytes(userBroadcast('realtime:s', 'e', 0, Buffer.alloc(3_000_501), '2'));
  expect((await socket.next(reply('2')))[4]).toEqual({ status: 'error', response: 'payload_size_exceeded' });
  socket.sendBytes(userBroadcast('realtime:s', 'e', 0, Buffer.alloc(3_000_500), '3'));
  expect((await socket.next(reply('3')))[4].status).toBe('ok');
  socket.close();
});

test('join payloads can contain booleans in several forms, nulls and unknown values', async () => {
  const socket = await openRaw(h.socketUrl());
  const join = async (ref: string, payload: unknown): Promise<unknown> => {
    socket.send([ref, ref, 'realtime:j', 'phx_join', payload]);
    return (await socket.next(reply(ref)))[4];
  };
  const ok = { status: 'ok', response: { postgres_changes: [] } };
  expect(
    await join('1', { config: { broadcast: { self: 'TRUE', ack: 'false' }, postgres_changes: null } }),
  ).toEqual(ok);
  expect(
    await join('2', { config: { broadcast: 5, presence: 'x', postgres_changes: 'x', private: {} } }),
  ).toEqual(ok);
  expect(await join('3', { config: null, access_token: null })).toEqual(ok);
  const entry = { event: 'insert', schema: 'public', table: 'nope', filter: undefined, extra: [1] };
  expect(await join('4', { config: { postgres_changes: [null, entry] } })).toMatchObject({
    status: 'ok',
    response: {
      postgres_changes: [
        { event: 'insert', schema: 'public', table: 'nope', extra: [1], id: expect.any(Number) },
      ],
    },
  });
  expect((await socket.next(event('system')))[4]).toEqual({
    extension: 'postgres_changes',
    status: 'error',
    channel: 'j',
    message:
      'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: INSERT, schema: public, table: nope, filters: [], select: nil]',
  });
  expect(await join('5', { config: { broadcast: { replay: { since: 1 } } } })).toEqual({
    status: 'error',
    response: { reason: 'UnableToReplayMessages: Replay is not allowed for public channels' },
  });
  expect(
    await join('6', { config: {}, access_token: signed(h.keys.jwtSecret, { role: 'anon', exp: 1 }) }),
  ).toMatchObject({
    status: 'error',
    response: { reason: expect.stringMatching(/^InvalidJWTToken: Token has expired \d+ seconds ago$/) },
  });
  const early = h.token('11111111-1111-4111-8111-111111111111', { nbf: Math.floor(Date.now() / 1000) + 60 });
  expect(await join('10', { config: {}, access_token: early })).toEqual({
    status: 'error',
    response: { reason: 'InvalidJWTToken: Token is not valid yet' },
  });
  expect(await join('7', { config: {}, access_token: 'junk' })).toMatchObject({
    response: { reason: 'MalformedJWT: The token provided is not a valid JWT' },
  });
  expect(await join('8', { config: {}, access_token: 'sb_publishable_whatever' })).toEqual(ok);
  socket.close();
});

test('a client that stops reading is disconnected, and all others continue', async () => {
  const bounded = await startRealtime({ limits: { maxBufferedBytes: 300_000 } });
  try {
    const [slow, quick] = await Promise.all([openRaw(bounded.socketUrl()), openRaw(bounded.socketUrl())]);
    for (const socket of [slow, quick]) {
      socket.send(['1', '1', 'realtime:flood', 'phx_join', config()]);
      await socket.next(reply('1'));
    }
    slow.pause();
    const count = 200;
    for (let n = 0; n < count; n++) {
      quick.sendBytes(userBroadcast('realtime:flood', 'e', 0, Buffer.alloc(100_000, n)));
      await quick.next((frame) => Buffer.isBuffer(frame));
    }
    slow.resume();
    await until(() => slow.closed);
    expect(slow.frames.length).toBeLessThan(count);
    expect(quick.closed).toBeUndefined();
  } finally {
    await bounded.stop();
  }
});

test('upstream’s limits are settings', async () => {
  const strict = await startRealtime({
    settings: { max_channels_per_client: 2, max_concurrent_users: 1, client_presence_max_calls: 1 },
    // This limit is below the minimum of the setting, so the first events already exceed the average over a minute.
    limits: { maxEventsPerSecond: 0.05 },
  });
  try {
    const socket = await openRaw(strict.socketUrl());
    await expect(openRaw(strict.socketUrl())).rejects.toThrow('429');
    for (const ref of ['1', '2']) {
      socket.send([ref, ref, `realtime:${ref}`, 'phx_join', config()]);
      await socket.next(reply(ref));
    }
    socket.send(['3', '3', 'realtime:3', 'phx_join', config()]);
    expect((await socket.next(reply('3')))[4]).toEqual({
      status: 'error',
      response: { reason: 'ChannelRateLimitReached: Too many channels' },
    });
    const track = (ref: string) =>
      socket.send(['1', ref, 'realtime:1', 'presence', { type: 'presence', event: 'TRACK', payload: {} }]);
    track('4');
    expect((await socket.next(reply('4')))[4].status).toBe('ok');
    track('5');
    expect((await socket.next(event('system')))[4].message).toBe('Client presence rate limit exceeded');
    await socket.next(event('phx_close'));
    for (let n = 0; n < 5; n++) socket.sendBytes(userBroadcast('realtime:2', 'e', 1, Buffer.from('1')));
    expect((await socket.next(event('system')))[4].message).toBe('Too many messages per second');
    expect((await socket.next(event('phx_close')))[2]).toBe('realtime:2');
    socket.close();
  } finally {
    await strict.stop();
  }
});

test('private_only and the join rate are enforced', async () => {
  const strict = await startRealtime({ settings: { private_only: true, max_joins_per_second: 1 } });
  try {
    const socket = await openRaw(strict.socketUrl());
    socket.send(['1', '1', 'realtime:1', 'phx_join', config()]);
    expect((await socket.next(reply('1')))[4].response).toEqual({
      reason: 'PrivateOnly: This project only allows private channels',
    });
    for (const ref of ['2', '3']) {
      socket.send([ref, ref, `realtime:${ref}`, 'phx_join', config({ private: true })]);
    }
    expect((await socket.next(reply('3')))[4].response).toEqual({
      reason: 'ClientJoinRateLimitReached: Too many joins per second',
    });
    await until(() => socket.closed);
  } finally {
    await strict.stop();
  }
});

/** Starts realtime with a clock and a timer that the test controls. */
async function startTimed(): Promise<Harness & { now(): number; pass(ms: number): void }> {
  let now = Date.now();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const started = await startRealtime({ clock: { now: () => now } });
  return {
    ...started,
    now: () => now,
    pass(ms) {
      now += ms;
      vi.advanceTimersByTime(1000);
    },
    async stop() {
      await started.stop();
      vi.useRealTimers();
    },
  };
}

test('an expired token closes only its own channel', async () => {
  const timed = await startTimed();
  try {
    const socket = await openRaw(timed.socketUrl());
    const token = signed(timed.keys.jwtSecret, { role: 'anon', exp: Math.floor(timed.now() / 1000) + 30 });
    socket.send(['1', '1', 'realtime:t', 'phx_join', { ...config(), access_token: token }]);
    socket.send(['2', '2', 'realtime:u', 'phx_join', config()]);
    await Promise.all([socket.next(reply('1')), socket.next(reply('2'))]);
    timed.pass(31_000);
    expect((await socket.next(event('system')))[4].message).toBe('Token has expired 1 seconds ago');
    expect((await socket.next(event('phx_close')))[2]).toBe('realtime:t');
    socket.send(['2', '3', 'realtime:u', 'phx_leave', {}]);
    expect((await socket.next(reply('3')))[4].status).toBe('ok');
  } finally {
    await timed.stop();
  }
});

test('a token that isn’t valid yet closes the channel it is sent to', async () => {
  const socket = await openRaw(h.socketUrl());
  socket.send(['1', '1', 'realtime:later', 'phx_join', config()]);
  await socket.next(reply('1'));
  const now = Math.floor(Date.now() / 1000);
  const access_token = (nbf: number) => signed(h.keys.jwtSecret, { role: 'anon', exp: now + 600, nbf });
  socket.send(['1', '2', 'realtime:later', 'access_token', { access_token: access_token(now - 5) }]);
  socket.send(['1', '3', 'realtime:later', 'access_token', { access_token: access_token(now + 60) }]);
  expect((await socket.next(event('system')))[4]).toMatchObject({
    status: 'error',
    message: 'Token is not valid yet',
  });
  expect((await socket.next(event('phx_close')))[2]).toBe('realtime:later');
  socket.close();
});

test("a silent half-open socket is closed after a minute, and one that sends heartbeats isn't", async () => {
  const timed = await startTimed();
  try {
    const [silent, beating] = await Promise.all([openRaw(timed.socketUrl()), openRaw(timed.socketUrl())]);
    for (const socket of [silent, beating]) {
      socket.send(['1', '1', 'realtime:t', 'phx_join', config()]);
      await socket.next(reply('1'));
    }
    // This client doesn't read or respond.
    silent.pause();
    for (const ref of ['2', '3', '4']) {
      timed.pass(25_000);
      beating.send([null, ref, 'phoenix', 'heartbeat', {}]);
      await beating.next(reply(ref));
    }
    silent.resume();
    await until(() => silent.closed);
    expect(silent.frames).toEqual([]);
    expect(beating.closed).toBeUndefined();
  } finally {
    await timed.stop();
  }
});

test('a socket without a channel is closed, even if it sends heartbeats', async () => {
  const timed = await startTimed();
  try {
    const [empty, left, member] = await Promise.all([
      openRaw(timed.socketUrl()),
      openRaw(timed.socketUrl()),
      openRaw(timed.socketUrl()),
    ]);
    for (const socket of [left, member]) {
      socket.send(['1', '1', 'realtime:t', 'phx_join', config()]);
      await socket.next(reply('1'));
    }
    const beat = async (socket: typeof empty, ref: string) => {
      socket.send([null, ref, 'phoenix', 'heartbeat', {}]);
      await socket.next(reply(ref));
    };
    const pass = async (seconds: number, sockets: (typeof empty)[]) => {
      for (let passed = 0; passed < seconds; passed += 50) {
        timed.pass(50_000);
        for (const socket of sockets) await beat(socket, `${passed}`);
      }
    };
    await pass(300, [empty, left, member]);
    left.send(['1', '2', 'realtime:t', 'phx_leave', {}]);
    await left.next(reply('2'));
    await pass(250, [empty, left, member]);
    timed.pass(51_000);
    await Promise.all([left, member].map((socket) => beat(socket, 'a')));
    await until(() => empty.closed);
    expect([left.closed, member.closed]).toEqual([undefined, undefined]);
    await pass(250, [left, member]);
    timed.pass(51_000);
    await beat(member, 'b');
    await until(() => left.closed);
    expect(member.closed).toBeUndefined();
  } finally {
    await timed.stop();
  }
});

test('stopping closes every socket with 1012', async () => {
  const stopping = await startRealtime();
  const socket = await openRaw(stopping.socketUrl());
  socket.send(['1', '1', 'realtime:t', 'phx_join', config()]);
  await socket.next(reply('1'));
  await stopping.stop();
  expect((await socket.next(event('system')))[4].message).toBe('Server requested disconnect');
  await until(() => socket.closed);
  expect(socket.closed?.code).toBe(1012);
});
