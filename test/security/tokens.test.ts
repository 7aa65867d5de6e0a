/** Tests that every endpoint rejects forged tokens, and tokens with roles that no request may have. */
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { alice, bob, handMade, inAnHour, part, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    functions: { hello: `Deno.serve(() => new Response('reached'));` },
    // A paused machine must not reject the many concurrent requests.
    config: { plinth: { rest: { max_wait: 60_000 }, server: { max_wait: 60_000 } } },
  });
});
afterAll(() => world?.stop());

const claims = { sub: alice, role: 'service_role', exp: inAnHour() + 1000 };

/** Returns tokens that are forged from public information, the JWKS and observed tokens. */
function forgeries(): [string, string][] {
  const { keys } = world.backend;
  const [published] = keys.publicJwks().keys;
  const publicKey = createPublicKey({ key: published as never, format: 'jwk' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const kid = String(published?.kid);
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const es256 = (header: object): string => {
    const data = `${part(header)}.${part(claims)}`;
    return `${data}.${sign('sha256', Buffer.from(data), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const good = world.user(alice);
  const [head, , tail] = good.split('.');
  const [anonHead, , anonTail] = keys.anonKey.split('.');
  return [
    ['none', `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`],
    ['"none" with a signature', `${part({ alg: 'none' })}.${part(claims)}.${tail}`],
    ['None', `${part({ alg: 'None' })}.${part(claims)}.AAAA`],
    ['no algorithm', handMade({ typ: 'JWT' }, claims, keys.jwtSecret)],
    ['an algorithm named like an Object property', handMade({ alg: 'constructor' }, claims, keys.jwtSecret)],
    ['a wrong secret', handMade({ alg: 'HS256' }, claims, 'guess')],
    ['an empty secret', handMade({ alg: 'HS256' }, claims, '')],
    ['the public key as a secret (PEM)', handMade({ alg: 'HS256', kid }, claims, pem)],
    ['the public key as a secret (DER)', handMade({ alg: 'HS256', kid }, claims, der)],
    ['the public x coordinate as a secret', handMade({ alg: 'HS256', kid }, claims, String(published?.x))],
    ['another key under the project’s kid', es256({ alg: 'ES256', kid })],
    ['a key in the token', es256({ alg: 'ES256', kid, jwk: own.publicKey.export({ format: 'jwk' }) })],
    [
      'a key at another URL',
      es256({ alg: 'ES256', kid, jku: 'http://127.0.0.1/jwks', x5u: 'http://127.0.0.1/x' }),
    ],
    ['a kid that is a path', handMade({ alg: 'HS256', kid: '../../../../dev/null' }, claims, '')],
    ['a kid that is SQL', handMade({ alg: 'HS256', kid: `' union select '` }, claims, '')],
    ['a kid named like an Object property', es256({ alg: 'ES256', kid: '__proto__' })],
    ['unknown critical extensions', handMade({ alg: 'HS256', crit: ['exp'] }, claims, keys.jwtSecret)],
    ['changed claims under a valid signature', `${head}.${part(claims)}.${tail}`],
    ['changed claims under the anon key’s signature', `${anonHead}.${part(claims)}.${anonTail}`],
    [
      'a signature of zeros',
      `${part({ alg: 'ES256', kid })}.${part(claims)}.${Buffer.alloc(64).toString('base64url')}`,
    ],
    ['a truncated signature', `${head}.${part(claims)}.${tail?.slice(0, 10)}`],
    ['no signature', `${head}.${part(claims)}.`],
    ['four parts', `${good}.x`],
    ['claims that are a list', handMade({ alg: 'HS256' }, [claims], keys.jwtSecret)],
  ];
}

const broadcast = (isPrivate: boolean) => ({
  messages: [{ topic: 'x', event: 'e', payload: {}, private: isPrivate }],
});

describe('a forged token', () => {
  it('is rejected everywhere', async () => {
    for (const [name, token] of forgeries()) {
      const { call } = world;
      const answers = {
        rest: await call('/rest/v1/notes', { token }),
        admin: await call('/auth/v1/admin/users', { token }),
        user: await call('/auth/v1/user', { token }),
        storage: await call('/storage/v1/bucket', { token }),
        functions: await call('/functions/v1/hello', { token }),
        realtime: await call('/realtime/v1/api/broadcast', { token, json: broadcast(false) }),
        apikey: await call('/rest/v1/notes', { headers: { apikey: `Bearer ${token}` } }),
      };
      for (const [door, { status, text }] of Object.entries(answers)) {
        expect([name, door, status >= 400 && status < 500]).toEqual([name, door, true]);
        expect(text).not.toContain('of alice');
        expect(text).not.toContain('reached');
      }
      expect([name, await handshake(token)]).toEqual([name, 'refused']);
    }
  });

  it('is still rejected after being sent repeatedly', async () => {
    const token = handMade({ alg: 'HS256' }, claims, 'guess');
    for (let count = 0; count < 20; count++)
      expect((await world.call('/rest/v1/notes', { token })).status).toBe(401);
  });
});

/** Returns whether a WebSocket opens with this API key, which is checked before any channel is joined. */
async function handshake(apikey: string): Promise<'open' | 'refused'> {
  const socket = new WebSocket(
    `${world.backend.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${encodeURIComponent(apikey)}`,
    { headers: { authorization: `Bearer ${world.backend.keys.serviceRoleKey}` } },
  );
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    // The server delays a rejection, so only a socket that opens is treated as accepted.
    socket.once('error', () => resolve('refused'));
    setTimeout(() => {
      socket.terminate();
      resolve('refused');
    }, 150);
  });
}

describe('an expired token', () => {
  it('is rejected everywhere, even if its signature has been cached', async () => {
    const exp = Math.floor(Date.now() / 1000) - 60;
    const token = world.user(alice, { exp });
    world.backend.keys.verify(token);
    for (const path of ['/rest/v1/notes', '/auth/v1/user', '/storage/v1/bucket', '/functions/v1/hello']) {
      const { status, text } = await world.call(path, { token });
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      expect(text).not.toContain('of alice');
    }
    expect(await handshake(token)).toBe('refused');
  });
});

describe('keys', () => {
  it('of the anon role don’t grant access as a user or administrator, or to rows', async () => {
    const { anonKey, publishableKey } = world.backend.keys;
    for (const headers of [
      { apikey: publishableKey },
      { apikey: anonKey, authorization: `Bearer ${anonKey}` },
      { apikey: publishableKey, authorization: `Bearer ${publishableKey}` },
    ] as Record<string, string>[]) {
      expect((await world.call('/rest/v1/notes', { headers })).body).toEqual([]);
      expect((await world.call('/auth/v1/user', { headers })).status).toBe(403);
      expect((await world.call('/auth/v1/admin/users', { headers })).status).toBe(403);
      expect((await world.call('/storage/v1/bucket', { headers })).body).toEqual([]);
    }
  });

  it('that are secret work only in apikey, but not as a token or in a query, cookie or body', async () => {
    const { secretKey, publishableKey } = world.backend.keys;
    const tries: [string, Record<string, string>][] = [
      ['/auth/v1/admin/users', { authorization: `Bearer ${secretKey}` }],
      ['/auth/v1/admin/users', { authorization: secretKey }],
      [`/auth/v1/admin/users?apikey=${secretKey}`, {}],
      [`/auth/v1/admin/users?apikey=${secretKey}`, { apikey: publishableKey }],
      ['/auth/v1/admin/users', { cookie: `apikey=${secretKey}` }],
      ['/auth/v1/admin/users', { authorization: `Bearer ${secretKey}`, apikey: publishableKey }],
    ];
    for (const [path, headers] of tries) {
      const { status } = await world.call(path, { headers });
      expect([path, headers, status === 401 || status === 403]).toEqual([path, headers, true]);
    }
  });

  it('are never in a response to another user', async () => {
    const { backend } = world;
    const { serviceRoleKey, secretKey, jwtSecret } = backend.keys;
    const ofConsole = ['/', '/console/', '/console/api/home'];
    for (const path of [
      '/health',
      '/',
      '/nowhere',
      '/auth/v1/settings',
      '/auth/v1/health',
      '/auth/v1/.well-known/jwks.json',
      '/rest/v1/',
      '/storage/v1/status',
      '/account/',
      '/account/api/session',
      '/realtime/v1/api/ping',
      '/functions/v1/_internal/health',
      ...ofConsole.map((path) => `${backend.console.url}${path}`),
    ]) {
      const { text } = await world.call(path, { headers: { 'x-plinth-request': '1' } });
      for (const secret of [serviceRoleKey, secretKey, jwtSecret])
        expect([path, text.includes(secret)]).toEqual([path, false]);
      expect(text).not.toMatch(/"kty":\s*"oct"|"d":\s*"/);
    }
  });
});

describe('the role claim', () => {
  const strange = [
    'postgres',
    'supabase_admin',
    'supabase_auth_admin',
    'supabase_storage_admin',
    'supabase_realtime_admin',
    'pg_read_all_data',
    'service_role ',
    '"service_role"',
    'SERVICE_ROLE',
    'NONE',
    'a\nb',
    'service_role\0',
    `x'; set role postgres; --`,
    '',
    5,
    null,
    { role: 'service_role' },
    ['service_role'],
    true,
  ];

  it('with a role other than the API’s doesn’t allow reading or administration', async () => {
    for (const role of strange) {
      const token = world.token({ sub: alice, role });
      const rest = await world.call('/rest/v1/notes', { token });
      expect([role, rest.status >= 400 && rest.status < 500]).toEqual([role, true]);
      expect((await world.call('/auth/v1/admin/users', { token })).status).toBe(403);
      const storage = await world.call('/storage/v1/bucket', { token });
      expect(storage.text).not.toContain('closed');
      expect([role, await handshakeAndJoin(token, `user:${bob}`)]).toEqual([role, 'refused']);
    }
  });

  it('with a login role doesn’t grant privileges either', async () => {
    for (const role of ['authenticator', 'none']) {
      const token = world.token({ sub: alice, role });
      for (const path of [
        '/rest/v1/notes',
        '/rest/v1/books',
        '/storage/v1/bucket',
        '/storage/v1/object/closed/x',
      ]) {
        const { status, text } = await world.call(path, { token });
        expect([role, path, status >= 400]).toEqual([role, path, true]);
        expect(text).not.toContain('of alice');
      }
      expect([role, await handshakeAndJoin(token, `user:${bob}`)]).toEqual([role, 'refused']);
    }
  });

  it('can’t be sent in another way', async () => {
    const headers = {
      'x-role': 'service_role',
      role: 'service_role',
      'x-jwt-claims': '{"role":"service_role"}',
      'request.jwt.claims': '{"role":"service_role"}',
      prefer: 'role=service_role',
    };
    const { body } = await world.call('/rest/v1/rpc/whoami?role=service_role', { headers });
    expect(body.code ?? body.role).not.toBe('service_role');
    expect((await world.call('/rest/v1/rpc/whoami', { headers })).body).toMatchObject({
      role: 'anon',
      sub: null,
    });
  });
});

async function handshakeAndJoin(token: string, topic: string): Promise<'joined' | 'refused'> {
  const { anonKey } = world.backend.keys;
  const socket = new WebSocket(
    `${world.backend.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`,
  );
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const payload = { access_token: token, config: { private: true, broadcast: {}, presence: { key: '' } } };
  socket.send(JSON.stringify(['1', '1', `realtime:${topic}`, 'phx_join', payload]));
  const response = await Promise.race([
    new Promise<'joined' | 'refused'>((resolve) => {
      socket.on('message', (data) => {
        const [, , , event, body] = JSON.parse(String(data));
        if (event === 'phx_reply') resolve(body.status === 'ok' ? 'joined' : 'refused');
      });
    }),
    // The server delays a rejection by several seconds, so the test doesn't wait for the rejection.
    new Promise<'refused'>((resolve) => setTimeout(() => resolve('refused'), 200)),
  ]);
  socket.terminate();
  return response;
}

it('private topics are available only to users whom a policy allows', async () => {
  expect(await handshakeAndJoin(world.user(alice), `user:${alice}`)).toBe('joined');
  for (const topic of [`user:${bob}`, 'user:%', `user:${alice}x`, `user:${alice}\0`, '', '*']) {
    expect([topic, await handshakeAndJoin(world.user(alice), topic)]).toEqual([topic, 'refused']);
  }
  expect(await handshakeAndJoin(world.backend.keys.anonKey, `user:${alice}`)).toBe('refused');
});

it('data doesn’t leak between many concurrent callers, whatever session state functions leave behind', async () => {
  const callers = [alice, bob, undefined];
  const call = async (index: number) => {
    const sub = callers[index % callers.length];
    const token = sub === undefined ? undefined : world.user(sub);
    if (index % 10 === 0) await world.call('/rest/v1/rpc/keep_setting', { json: {}, token });
    const { body } = await world.call('/rest/v1/rpc/whoami', { token });
    expect(body).toMatchObject({ role: sub === undefined ? 'anon' : 'authenticated', sub: sub ?? null });
    const rows = (await world.call('/rest/v1/notes?select=owner', { token })).body;
    expect(rows).toEqual(sub === undefined ? [] : [{ owner: sub }]);
  };
  // There are more callers than connections.
  for (const round of [0, 1, 2])
    await Promise.all(Array.from({ length: 40 }, (_, index) => call(40 * round + index)));
});
