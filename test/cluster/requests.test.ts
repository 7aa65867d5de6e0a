/** Tests that a request has the same effect on every API worker, and that the workers share global state. */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSql } from '../../src/entry/testing.ts';
import { type Client, startWorld, type World } from './world.ts';

let world: World;
let one: Client;
let other: Client;

beforeAll(async () => {
  world = await startWorld({
    config: { plinth: { auth: { api_keys: { enabled: true } } } },
    sql: `
      create function public.whoami() returns jsonb language sql stable as $$ select auth.jwt() $$;
      create table public.notes (id int primary key, body text);
      grant all on public.notes to anon, authenticated, service_role;
      alter publication supabase_realtime add table public.notes;`,
  });
  one = await world.client();
  other = await world.client();
});
afterAll(() => world.stop());

const json = { 'content-type': 'application/json' };
const both = (path: string) => Promise.all([one.call(path), other.call(path)]);

it('the clients of these tests are connected to different workers', async () => {
  await expect
    .poll(async () => Math.min(...Object.values(await world.metric('plinth_worker_connections'))), {
      timeout: 10_000,
    })
    .toBeGreaterThan(0);
  expect(Object.keys(await world.metric('plinth_worker_connections'))).toHaveLength(2);
});

it('one worker can read what the other has written', async () => {
  const body = JSON.stringify({ id: 1, body: 'x'.repeat(100_000) });
  const { status } = await one.call('/rest/v1/notes', { method: 'POST', headers: json, body });
  expect(status).toBe(201);
  const { text } = await other.call('/rest/v1/notes?id=eq.1&select=id');
  expect(JSON.parse(text)).toEqual([{ id: 1 }]);
});

it('every worker accepts the API keys of users, and rejects them once they are revoked', async () => {
  const { data } = await createClient(world.backend.url, world.backend.keys.publishableKey).auth.signUp({
    email: 'key@example.com',
    password: 'correct horse battery',
  });
  const session = { authorization: `Bearer ${data.session?.access_token}` };
  const created = await one.call('/auth/v1/user/api-keys', {
    method: 'POST',
    headers: { ...json, ...session },
    body: JSON.stringify({ name: 'Script' }),
  });
  const { id, key } = JSON.parse(created.text);
  const whoami = (client: Client) =>
    client.call('/rest/v1/rpc/whoami', { headers: { authorization: `Bearer ${key}` } });
  for (const client of [one, other])
    expect(JSON.parse((await whoami(client)).text)).toMatchObject({ sub: data.user?.id, key_id: id });
  await other.call(`/auth/v1/user/api-keys/${id}`, { method: 'DELETE', headers: session });
  for (const client of [one, other])
    await expect.poll(async () => (await whoami(client)).status, { timeout: 20_000 }).toBe(401);
});

it('the response of every path is the same as from a single process', async () => {
  const expected: Record<string, number> = {
    '/health/live': 200,
    '/health/ready': 200,
    '/rest/v1/nothing': 404,
    '/rest/v1/%zz': 404,
    '/nothing': 404,
    '/auth/v1/settings': 200,
    '/auth/v1/%zz': 400,
    '/metrics': 401,
    '/functions/v1/missing': 404,
    '/storage/v1/object/public/none/none': 400,
  };
  for (const [path, status] of Object.entries(expected))
    expect([path, ...(await both(path)).map((reply) => reply.status)]).toEqual([path, status, status]);
});

it('forwarded responses have each of the gateway’s headers only once', async () => {
  const { headers } = await one.call('/auth/v1/settings', { headers: { origin: 'https://app.example' } });
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
  });
  const preflight = await other.call('/auth/v1/token', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.headers['access-control-allow-methods']).toContain('POST');
});

it('the client’s own address is reported, and a forged one is ignored', async () => {
  const id = 'spoofed-address-1';
  const forged = { 'x-request-id': id, 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
  await one.call('/auth/v1/settings', { headers: forged });
  await one.call('/rest/v1/notes?select=id', { headers: forged });
  const found = () => world.entries.filter(({ fields }) => fields.requestId === id);
  await expect.poll(() => found().map(({ fields }) => fields.service)).toHaveLength(2);
  expect(found().map(({ fields }) => fields.ip)).toEqual(['127.0.0.1', '127.0.0.1']);
});

it('a user can sign up on one worker and sign in on the other', async () => {
  const { url, keys } = world.backend;
  const options = (client: Client) => ({
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: client.fetch },
  });
  const first = createClient(url, keys.publishableKey, options(one));
  const second = createClient(url, keys.publishableKey, options(other));
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  expect((await first.auth.signUp(account)).error).toBeNull();
  const { data, error } = await second.auth.signInWithPassword(account);
  expect(error).toBeNull();
  expect((await first.auth.getUser(data.session?.access_token)).data.user?.email).toBe(account.email);
  expect(
    (await first.auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' })).error,
  ).toBeNull();
});

it('wrong passwords are limited across all workers', async () => {
  // Guesses for an unknown email address are counted like guesses for an account, but no networks are known for the
  // address.
  const email = 'guessed@example.com';
  const guess = async (client: Client, number: number) => {
    const { status } = await client.call('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email, password: `wrong ${number}` }),
    });
    return status;
  };
  // The default of lockout.after, the number of consecutive wrong passwords before the first delay. If each worker
  // counted guesses separately, all of these guesses would get a response with status 400.
  const after = 10;
  const statuses: number[] = [];
  for (let number = 0; number < after + 4; number++)
    statuses.push(await guess(number % 2 === 0 ? one : other, number));
  expect(statuses).toEqual([...Array<number>(after).fill(400), 429, 429, 429, 429]);
});

it('broadcasts, presence and changes are delivered between clients of different workers', async () => {
  const { url, keys } = world.backend;
  const before = await world.metric('plinth_worker_connections');
  const heard: Record<string, unknown>[] = [];
  // The main process balances the connections, so four of them can't all be on one worker.
  const clients = Array.from({ length: 4 }, () => createClient(url, keys.publishableKey));
  const channels = clients.map((client, index) =>
    client
      .channel('room', { config: { presence: { key: `client ${index}` } } })
      .on('presence', { event: 'sync' }, () => undefined)
      .on('broadcast', { event: 'hello' }, ({ payload }) => void heard.push({ ...payload, to: index }))
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, ({ new: row }) => {
        heard.push({ row: (row as { id: number }).id, to: index });
      }),
  );
  for (const channel of channels)
    await new Promise<void>((resolve) => {
      channel.subscribe((status) => status === 'SUBSCRIBED' && resolve());
    });
  await expect
    .poll(
      async () => {
        const now = await world.metric('plinth_worker_connections');
        return Object.keys(now).map((name) => (now[name] ?? 0) > (before[name] ?? 0));
      },
      { timeout: 10_000 },
    )
    .toEqual([true, true]);
  const [first, ...others] = channels;
  await first?.track({ here: true });
  for (const channel of others)
    await expect.poll(() => Object.keys(channel.presenceState())).toEqual(['client 0']);
  await first?.send({ type: 'broadcast', event: 'hello', payload: { from: 0 } });
  const recipients = (wanted: (entry: Record<string, unknown>) => boolean) =>
    [...new Set(heard.filter(wanted).map(({ to }) => to))].sort();
  await expect.poll(() => recipients(({ from }) => from === 0)).toEqual([1, 2, 3]);
  let id = 100;
  await expect
    .poll(
      async () => {
        const body = JSON.stringify({ id: id++, body: 'changed' });
        await one.call('/rest/v1/notes', { method: 'POST', headers: json, body });
        return recipients(({ row }) => row !== undefined);
      },
      { timeout: 10_000, interval: 300 },
    )
    .toEqual([0, 1, 2, 3]);
  await Promise.all(clients.map((client) => client.removeAllChannels()));
});

it('another worker can continue a resumable upload', async () => {
  const key = { authorization: `Bearer ${world.backend.keys.serviceRoleKey}` };
  await one.call('/storage/v1/bucket', {
    method: 'POST',
    headers: { ...json, ...key },
    body: JSON.stringify({ id: 'files', name: 'files' }),
  });
  const content = Buffer.alloc(12 * 1024 * 1024, 'resumable ');
  const half = 6 * 1024 * 1024;
  const tus = { ...key, 'tus-resumable': '1.0.0' };
  const metadata = Object.entries({ bucketName: 'files', objectName: 'big.txt', contentType: 'text/plain' })
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
  const created = await one.call('/storage/v1/upload/resumable', {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(content.length), 'upload-metadata': metadata },
  });
  expect(created.status).toBe(201);
  const { pathname } = new URL(String(created.headers.location));
  const send = (client: Client, offset: number, body: Buffer) =>
    client.call(pathname, {
      method: 'PATCH',
      headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body,
    });
  expect((await send(one, 0, content.subarray(0, half))).status).toBe(204);
  expect((await other.call(pathname, { method: 'HEAD', headers: tus })).headers['upload-offset']).toBe(
    String(half),
  );
  expect((await send(other, half, content.subarray(half))).status).toBe(204);
  const { status, text } = await one.call('/storage/v1/object/authenticated/files/big.txt', { headers: key });
  expect([status, text === content.toString()]).toEqual([200, true]);
});

it('every worker reloads the schema after DDL', async () => {
  const path = '/rest/v1/created_later?select=id';
  expect((await both(path)).map(({ status }) => status)).toEqual([404, 404]);
  await runSql(world.backend, 'create table public.created_later (id int)');
  await runSql(world.backend, 'grant select on public.created_later to anon');
  await expect
    .poll(async () => (await both(path)).map(({ status }) => status), { timeout: 20_000 })
    .toEqual([200, 200]);
});

it('/metrics contains the sum of the requests of all workers', async () => {
  const name = 'service="rest",status="406"';
  const headers = { accept: 'application/vnd.pgrst.object+json' };
  const path = '/rest/v1/notes?id=eq.-1';
  for (let count = 0; count < 7; count++) await one.call(path, { headers });
  for (let count = 0; count < 4; count++) await other.call(path, { headers });
  await expect.poll(async () => (await world.metric('plinth_requests_total'))[name]).toBe(11);
});

it('the workers share the number of connections that a single process would have', async () => {
  // Each worker gets two of the four configured connections, and the main process gets four.
  await expect
    .poll(async () => (await world.metric('plinth_pool_connections_limit'))['pool="rest_shared"'], {
      timeout: 10_000,
    })
    .toBe(8);
});
