/**
 * Tests that other clients still get responses while a client sends expensive requests: nested, repeated, large,
 * incomplete or very numerous ones.
 */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { alice, bob, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ exclude: ['functions'] });
});
afterAll(() => world?.stop());

/** The limit is far above the actual duration and far below the duration of a pattern that backtracks. */
const patienceMs = 10_000;

describe('queries', () => {
  const nested = (open: string, inner: string, count: number): string =>
    `${open.repeat(count)}${inner}${')'.repeat(count)}`;
  it.each([
    ['open parentheses', `or=${'('.repeat(12_000)}`],
    ['nested logic', `or=(${nested('and(', 'id.eq.1', 2000)})`],
    ['many negations', `id=${'not.'.repeat(3000)}eq.1`],
    ['nested embeds', `select=${nested('notes(', 'id', 2000)}`],
    ['embeds back and forth', `select=${'books(notes('.repeat(600)}id${'))'.repeat(600)}`],
    ['dots', `select=${'.'.repeat(12_000)}`],
    ['spreads', `select=${'...'.repeat(4000)}x(id)`],
    ['casts', `select=id${'::text'.repeat(2000)}`],
    ['blanks', `select=id${'%20'.repeat(4000)}x`],
    ['more columns than PostgreSQL supports', `select=${'*,'.repeat(6000)}*`],
    ['a thousand filters', Array.from({ length: 1200 }, (_, index) => `id=gt.${index}`).join('&')],
    ['a pattern that backtracks', `body=match.${encodeURIComponent('(a+)+$')}`],
    ['a long order', `order=${'id.asc.nullsfirst,'.repeat(600)}id`],
    ['numbers over every limit', 'limit=99999999999999999999&offset=99999999999999999999'],
  ])('with %s get an immediate response', async (_name, query) => {
    const started = performance.now();
    const { text } = await world.call(`/rest/v1/notes?${query}`, { token: world.user(alice) });
    expect(performance.now() - started).toBeLessThan(patienceMs);
    expect(text).not.toContain('of bob');
  });

  it('with long lists get responses whose headers clients accept', async () => {
    const list = Array.from({ length: 4000 }, (_, index) => index + 1)
      .join(',')
      .slice(0, 14_000);
    const { status, headers } = await world.call(`/rest/v1/notes?select=id&id=in.(${list})`, {
      token: world.user(alice),
    });
    expect([status, headers.get('content-location')]).toEqual([200, null]);
  });
});

describe('bodies and headers', () => {
  it('of any size and shape are rejected immediately or processed', async () => {
    const long = 'a'.repeat(800_000);
    const token = world.backend.keys.serviceRoleKey;
    const tries: [string, Parameters<World['call']>[1]][] = [
      ['/auth/v1/signup', { json: { email: `${long}@${'b.'.repeat(50_000)}c`, password: 'secret-123' } }],
      ['/auth/v1/signup', { json: { email: 'long@example.com', password: long } }],
      ['/auth/v1/otp', { json: { phone: `+${'1'.repeat(800_000)}` } }],
      ['/auth/v1/signup', { json: { email: 'x@example.com', password: 'x', data: { a: `${long}${long}` } } }],
      ['/storage/v1/object/list/open', { token, json: { prefix: '', search: '%'.repeat(200_000) } }],
      [
        '/rest/v1/notes',
        { token, json: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`c${i}`, i])) },
      ],
      ['/rest/v1/notes', { headers: { prefer: 'a=b,'.repeat(3500) } }],
      ['/rest/v1/notes', { headers: { accept: 'a/b;q=0.1,'.repeat(1400) } }],
      ['/rest/v1/notes', { headers: { authorization: `Bearer ${' '.repeat(12_000)}x` } }],
      ['/auth/v1/user', { headers: { authorization: `Bearer ${'a.'.repeat(6000)}` } }],
      ['/storage/v1/object/public/open/x', { headers: { range: `bytes=${'0-1,'.repeat(3000)}` } }],
      ['/account/api/session', { headers: { cookie: 'a=b; '.repeat(2500), 'x-plinth-request': '1' } }],
      [`/auth/v1/verify?type=signup&token=x&redirect_to=http://${'a.'.repeat(5000)}b/`, {}],
    ];
    for (const [path, init] of tries) {
      const started = performance.now();
      const { status } = await world.call(path, init);
      expect([path, status < 500, performance.now() - started < patienceMs]).toEqual([path, true, true]);
    }
  });

  it("compressed bodies aren't decompressed", async () => {
    const { gzipSync } = await import('node:zlib');
    const { status } = await world.call('/auth/v1/signup', {
      method: 'POST',
      body: gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x')) as never,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect(status).toBe(400);
  });
});

describe('connections', () => {
  it('that send only half of a request don’t delay others, even if there are hundreds', async () => {
    const sockets: Socket[] = Array.from({ length: 300 }, () => {
      const socket = connect(world.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nx: ');
      return socket;
    });
    expect((await world.call('/rest/v1/notes', { token: world.user(alice) })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('sockets', () => {
  async function open(): Promise<WebSocket> {
    const { url, keys } = world.backend;
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${keys.anonKey}&vsn=2.0.0`,
    );
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.on('error', () => {});
    return socket;
  }
  const closeCode = (socket: WebSocket): Promise<number> =>
    new Promise((resolve) => socket.once('close', resolve));
  /** Sends bytes directly, without the WebSocket library. */
  const inject = (socket: WebSocket, bytes: readonly number[]): void => {
    (socket as unknown as { _socket: Socket })._socket.write(Buffer.from(bytes));
  };
  const join = (topic: string, payload: unknown): string =>
    JSON.stringify(['1', '1', `realtime:${topic}`, 'phx_join', payload]);
  const heartbeat = JSON.stringify([null, 'h', 'phoenix', 'heartbeat', {}]);
  const isAlive = (socket: WebSocket): Promise<boolean> =>
    new Promise((resolve) => {
      socket.on('message', (data) => String(data).includes('"h"') && resolve(true));
      socket.once('close', () => resolve(false));
      socket.send(heartbeat);
    });

  it('that violate the protocol are closed with its code', async () => {
    const huge = await open();
    huge.send('A'.repeat(6_000_000));
    expect(await closeCode(huge)).toBe(1009);
    const faulty = await open();
    inject(faulty, [0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]);
    expect(await closeCode(faulty)).toBe(1007);
    const unmasked = await open();
    inject(unmasked, [0x81, 0x02, 0x61, 0x61]);
    expect(await closeCode(unmasked)).toBe(1002);
  });

  it('that send invalid messages stay open and don’t affect others', async () => {
    const socket = await open();
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    for (const text of [
      '',
      '[]',
      '{}',
      'null',
      '[null,null,null,null,null]',
      '["1","1","realtime:x","phx_join",null]',
      join('x', { config: null }),
      '["1","1","realtime:y","phx_join",{"config":{"__proto__":{"private":false},"broadcast":5,"presence":[]}}]',
      '["1","1",{"a":1},"phx_join",{}]',
      '['.repeat(100_000),
      deep,
      `["1","1","realtime:d","phx_join",${deep}]`,
    ])
      socket.send(text);
    for (const bytes of [[], [0], [3], [3, 255, 255, 255, 255], [3, 1, 1, 1, 1, 1, 1], [4, 0, 0], [255]])
      socket.send(Buffer.from(bytes));
    expect(await isAlive(socket)).toBe(true);
    expect(({} as Record<string, unknown>).private).toBeUndefined();
    socket.terminate();
  });

  it('that join endlessly are limited to their share and don’t affect others', async () => {
    const socket = await open();
    for (let count = 0; count < 5000; count++)
      socket.send(join(`t${count}`, { config: { broadcast: {}, presence: { key: '' } } }));
    expect((await world.call('/rest/v1/notes', { token: world.user(alice) })).status).toBe(200);
    socket.terminate();
    expect((await world.call('/health')).status).toBe(200);
  });

  it('can’t subscribe with an invalid filter, or to internal tables', async () => {
    const socket = await open();
    const systems: { status: string }[] = [];
    socket.on('message', (data) => {
      const [, , , event, payload] = JSON.parse(String(data));
      if (event === 'system' && payload.extension === 'postgres_changes') systems.push(payload);
    });
    const access_token = world.user(alice);
    const wanted = [
      ...[
        'id=eq.1; drop table notes',
        'id=eq.1) or (true',
        '"id"=eq.1',
        `owner=eq.'`,
        '__proto__=eq.1',
        `id=eq.${'9'.repeat(9000)}`,
      ].map((filter) => ({ event: '*', schema: 'public', table: 'notes', filter })),
      { event: '*', schema: 'auth', table: 'users' },
      { event: '*', schema: 'pg_catalog', table: 'pg_authid' },
      { event: '*', schema: 'public', table: 'notes"; drop table notes; --' },
    ];
    for (const [index, one] of wanted.entries())
      socket.send(join(`f${index}`, { access_token, config: { postgres_changes: [one] } }));
    await expect.poll(() => systems.length).toBe(wanted.length);
    expect(systems.map(({ status }) => status)).toEqual(wanted.map(() => 'error'));
    socket.terminate();
    const rows = await world.call('/rest/v1/notes?select=owner', { token: world.user(bob) });
    expect(rows.body).toEqual([{ owner: bob }]);
  });
});
