/** Tests the webhooks for events about users with a real receiver: signatures, order, retries, and disabled webhooks. */
import { createHmac } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createOutgoing } from '../../src/base/shared/network/outgoing.ts';
import { operator } from '../console/harness.ts';
import { openTarget, type Target } from '../jobs/target.ts';
import { type Backend, createBackendWith, type Received, receivedOf, secretOf } from './webhook-receiver.ts';

const secret = secretOf('main');
const nextSecret = secretOf('next');
let target: Target;
let backend: Backend;
beforeAll(async () => {
  target = await openTarget();
  backend = await createBackendWith({
    main: { url: `${target.url}/main`, events: ['*'], secret: `${secret}|${nextSecret}` },
    sessions: { url: `${target.url}/sessions`, events: ['session.created'], secret },
    off: { enabled: false, url: `${target.url}/off`, events: ['*'], secret },
  });
});
afterAll(async () => {
  await backend?.stop();
  await target?.close();
});
beforeEach(() => {
  target.answer((_request, response) => response.end('ok'));
});

const admin = () =>
  createClient(backend.url, backend.keys.serviceRoleKey, { auth: { persistSession: false } }).auth.admin;
const client = () =>
  createClient(backend.url, backend.keys.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
const pool = () => backend.database.pool('supabase_admin');
const newEmail = (): string => `${crypto.randomUUID()}@example.com`;
const password = 'a-Good-password-1';

async function newUser(): Promise<{ id: string; email: string }> {
  const email = newEmail();
  const { data, error } = await admin().createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { plan: 'free' },
  });
  if (error) throw error;
  return { id: data.user.id, email };
}

/** Returns the requests about a user that a webhook has received. */
const about = (id: string, path = '/main'): readonly Received[] =>
  receivedOf(target).filter((each) => each.path === path && JSON.stringify(each.body.data).includes(id));
const typesAbout = (id: string, path?: string): string[] => about(id, path).map(({ body }) => body.type);

describe('events', () => {
  test('a sign-up, a sign-in, changes and a deletion arrive in order', async () => {
    const { id, email } = await newUser();
    const user = client();
    await user.auth.signInWithPassword({ email, password });
    await user.auth.updateUser({ data: { plan: 'paid' } });
    await user.auth.updateUser({ password: 'another-Good-password-2' });
    await user.auth.signOut();
    await admin().updateUserById(id, { ban_duration: '1h' });
    await admin().deleteUser(id);
    await expect.poll(() => typesAbout(id).at(-1), { timeout: 30_000 }).toBe('user.deleted');
    expect([...new Set(typesAbout(id))]).toEqual([
      // The changes of the transaction that creates the user are part of the creation.
      'user.created',
      'session.created',
      'user.updated',
      'user.password_changed',
      'session.ended',
      'user.banned',
      'user.deleted',
    ]);
    const changes = about(id)
      .filter(({ body }) => body.type === 'user.updated')
      .flatMap(({ body }) => body.data.changed);
    expect(changes).toContain('user_metadata');
    expect(changes).toContain('banned_until');
    await expect.poll(() => typesAbout(id, '/sessions')).toEqual(['session.created']);
    expect(typesAbout(id, '/off')).toEqual([]);
  });

  test('a payload has the public fields of the user, and no hash or token', async () => {
    const { id, email } = await newUser();
    await expect.poll(() => typesAbout(id), { timeout: 30_000 }).toContain('user.created');
    const created = about(id).find(({ body }) => body.type === 'user.created');
    expect(created?.body.data.user).toMatchObject({ id, email, user_metadata: { plan: 'free' }, phone: '' });
    expect(Date.parse(created?.body.timestamp ?? '')).toBeGreaterThan(Date.now() - 60_000);
    const [row] = await pool().query<{ hash: string }>(
      sql`select encrypted_password as hash from auth.users where id = ${id}`,
    );
    for (const { text } of about(id)) {
      expect(text).not.toContain(row?.hash);
      expect(text).not.toMatch(/password"|token|hmac_key|secret/);
    }
  });

  test('a change that is rolled back sends nothing, and a change in SQL is sent', async () => {
    const { id } = await newUser();
    const marker = crypto.randomUUID();
    const change = (plan: string) => sql`
      update auth.users set raw_user_meta_data = jsonb_build_object('plan', ${plan}::text) where id = ${id}`;
    const rolledBack = pool().transaction(async (tx) => {
      await tx.query(change(`undone-${marker}`));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await backend.database.pool('postgres').query(change(`kept-${marker}`));
    const texts = () => about(id).map(({ text }) => text);
    await expect
      .poll(() => texts().some((text) => text.includes(`kept-${marker}`)), { timeout: 30_000 })
      .toBe(true);
    expect(texts().some((text) => text.includes(`undone-${marker}`))).toBe(false);
  });

  test('a large payload loses the metadata and says so', async () => {
    const { id } = await newUser();
    await admin().updateUserById(id, { user_metadata: { text: 'x'.repeat(100_000) } });
    const cut = () => about(id).find(({ body }) => body.type === 'user.updated' && body.data.omitted);
    await expect.poll(cut, { timeout: 30_000 }).toBeDefined();
    const updated = cut();
    expect(updated?.body.data.omitted).toEqual(['user_metadata']);
    expect(updated?.body.data.user.user_metadata).toBeUndefined();
    expect(updated?.text.length).toBeLessThan(70_000);
  });
});

describe('requests', () => {
  test('are signed with every secret according to Standard Webhooks', async () => {
    const { id } = await newUser();
    await expect.poll(() => typesAbout(id), { timeout: 30_000 }).toContain('user.created');
    const { headers, text } = about(id)[0] as Received;
    const at = Number(headers['webhook-timestamp']);
    expect(Math.abs(Date.now() / 1000 - at)).toBeLessThan(60);
    const signed = `${headers['webhook-id']}.${at}.${text}`;
    const signatures = [secret, nextSecret].map((each) => {
      const key = Buffer.from(each.slice('whsec_'.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    });
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
    expect(headers['content-type']).toBe('application/json');
  });

  test('are repeated with the same ID, and later events of the user wait', async () => {
    const { id } = await newUser();
    await expect.poll(() => typesAbout(id), { timeout: 30_000 }).toContain('user.created');
    let failures = 0;
    target.answer((request, response) => {
      const isFirst = request.url === '/main' && failures === 0;
      if (isFirst) failures += 1;
      response.writeHead(isFirst ? 500 : 200).end(isFirst ? 'broken \0 text' : 'ok');
    });
    const before = about(id).length;
    await admin().updateUserById(id, { user_metadata: { step: 1 } });
    await expect.poll(() => about(id).length, { timeout: 30_000 }).toBe(before + 1);
    await admin().updateUserById(id, { user_metadata: { step: 2 } });
    await expect.poll(() => about(id).length, { timeout: 30_000 }).toBe(before + 3);
    const [first, second, third] = about(id).slice(before);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.text).toBe(first?.text);
    expect(third?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
    expect(third?.body.data.user.user_metadata).toMatchObject({ step: 2 });
  });

  test("redirects aren't followed, and endless responses are ended", async () => {
    const { id } = await newUser();
    await expect.poll(() => typesAbout(id), { timeout: 30_000 }).toContain('user.created');
    target.answer((request, response) => {
      if (request.url === '/main') response.writeHead(307, { location: `${target.url}/elsewhere` }).end();
      else response.end('x'.repeat(3_000_000));
    });
    await admin().updateUserById(id, { user_metadata: { away: true } });
    const last = async () =>
      (
        await pool().query<{ error: string; status: string }>(sql`
          select d.error, d.status from _plinth.user_event_deliveries d
          where d.user_id = ${id} and d.endpoint = 'main' and d.error is not null`)
      )[0];
    await expect.poll(last, { timeout: 30_000 }).toEqual({
      error: "The response has status 307, and redirects aren't followed.",
      status: 'waiting',
    });
    expect(receivedOf(target).some(({ path }) => path === '/elsewhere')).toBe(false);
  });
});

test('a webhook whose receiver is gone is disabled, until it is enabled again', async () => {
  const { id, email } = await newUser();
  await expect.poll(() => typesAbout(id), { timeout: 30_000 }).toContain('user.created');
  target.answer((request, response) => response.writeHead(request.url === '/sessions' ? 410 : 200).end());
  await client().auth.signInWithPassword({ email, password });
  const owner = await operator(backend);
  // biome-ignore lint/suspicious/noExplicitAny: the response of the Console
  const state = async (): Promise<any> =>
    (await owner.call('GET', '/webhooks')).body.webhooks.find(
      ({ name }: { name: string }) => name === 'sessions',
    );
  await expect.poll(async () => (await state())?.disabledAt, { timeout: 30_000 }).not.toBeNull();
  expect((await state())?.note).toBe('The receiver responded with 410 Gone.');
  expect(await owner.call('POST', '/webhooks/sessions/test')).toMatchObject({
    status: 409,
    body: { code: 'refused', message: expect.stringContaining('Enable it first') },
  });

  target.answer((_request, response) => response.end('ok'));
  expect((await owner.call('POST', '/webhooks/sessions/enable')).status).toBe(204);
  const sent = receivedOf(target).filter(({ body }) => body.type === 'webhook.test').length;
  expect((await owner.call('POST', '/webhooks/sessions/test')).status).toBe(200);
  await expect
    .poll(() => receivedOf(target).filter(({ body }) => body.type === 'webhook.test').length, {
      timeout: 30_000,
    })
    .toBe(sent + 1);
});

test('in production, a webhook reaches no private address', async () => {
  const outgoing = createOutgoing({
    mode: 'production',
    resolve: (_host, _options, done) => done(null, [{ address: '10.0.0.7', family: 4 }]),
  });
  const hostile = [
    'https://10.0.0.7/',
    'https://crm.example.com/',
    'https://127.0.0.1/',
    'http://93.184.216.34/',
  ];
  for (const url of hostile)
    await expect(outgoing.send({ url, reach: 'public', method: 'POST', body: '{}' })).rejects.toThrow(
      /not a public address|this machine|doesn't use https/,
    );
});
