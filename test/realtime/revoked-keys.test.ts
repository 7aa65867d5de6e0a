/** Tests that sockets and channels end soon after their key has been revoked, and that all others stay. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startRealtime, until } from './harness.ts';
import { openRaw, type RawSocket } from './raw-socket.ts';

let h: Harness;
let dir: string;
let keyFile: string;

const newKey = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid,
  alg: 'ES256',
  use: 'sig',
});
const keys = [newKey('first'), newKey('second')] as const;
const write = (list: readonly object[]) => writeFile(keyFile, JSON.stringify(list));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plinth-revoked-'));
  keyFile = join(dir, 'signing_keys.json');
  await write([keys[0]]);
  h = await startRealtime({ dataDir: dir, supabaseDir: dir, keyFile });
});
afterAll(async () => {
  await h.stop();
  await rm(dir, { recursive: true, force: true });
});

async function joined(key: string, topic: string, token?: string): Promise<RawSocket> {
  const socket = await openRaw(h.socketUrl(key));
  const payload = token === undefined ? { config: {} } : { config: {}, access_token: token };
  socket.send(['1', '1', `realtime:${topic}`, 'phx_join', payload]);
  const reply = await socket.next(([, , , event]) => event === 'phx_reply');
  expect(reply[4].status).toBe('ok');
  return socket;
}

const send = (socket: RawSocket, topic: string): void =>
  socket.send(['1', '2', `realtime:${topic}`, 'broadcast', { type: 'broadcast', event: 'e', payload: {} }]);

test('revoking an API key closes its sockets, and other sockets stay', async () => {
  const { entry, key } = h.keys.apiKeys.create('publishable', 'app', 'owner');
  const inAnHour = Math.floor(Date.now() / 1000) + 3600;
  const token = h.keys.sign({ sub: crypto.randomUUID(), role: 'authenticated', exp: inAnHour });
  const [revoked, withToken, other] = [
    await joined(key, 'room'),
    await joined(key, 'room', token),
    await joined(h.keys.publishableKey, 'room'),
  ];
  h.keys.apiKeys.revoke(entry.id);
  await until(() => revoked.closed !== undefined && withToken.closed !== undefined);
  expect(revoked.closed).toEqual({ code: 1008, reason: 'The API key is no longer valid' });
  expect(revoked.frames.map(([, , , event]) => event)).toEqual(['system', 'phx_close']);
  const listener = await joined(h.keys.publishableKey, 'room');
  send(other, 'room');
  await listener.next(([, , , event]) => event === 'broadcast');
  expect(other.closed).toBeUndefined();
  other.close();
  listener.close();
});

test('revoking a signing key ends the channels with its tokens, and channels with a valid key stay', async () => {
  const inAnHour = Math.floor(Date.now() / 1000) + 3600;
  const old = h.keys.sign({ sub: crypto.randomUUID(), role: 'authenticated', exp: inAnHour });
  const withOld = await joined(h.keys.publishableKey, 'users', old);
  // The token of this channel is derived from the publishable key, which stays valid.
  const anonymous = await joined(h.keys.publishableKey, 'users');
  await write([keys[1], keys[0]]);
  await until(() => h.keys.publicJwks().keys.length === 2);
  await write([keys[1]]);
  const [, , , , payload] = await withOld.next(([, , , event]) => event === 'system');
  expect(payload).toMatchObject({ status: 'error', extension: 'system' });
  await withOld.next(([, , , event]) => event === 'phx_close');
  const listener = await joined(h.keys.publishableKey, 'users');
  send(anonymous, 'users');
  await listener.next(([, , , event]) => event === 'broadcast');
  expect(anonymous.frames).toEqual([]);
  expect(withOld.closed).toBeUndefined();
  for (const socket of [withOld, anonymous, listener]) socket.close();
});
