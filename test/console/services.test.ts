import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

test('home returns the real addresses, the keys that the operator can see and the health of every service', async () => {
  const { body } = await owner.call('GET', '/home');
  expect(body).toMatchObject({
    url: backend.url,
    publishableKey: backend.keys.publishableKey,
    anonKey: backend.keys.anonKey,
    database: { version: expect.stringMatching(/^\d+\.\d+$/) },
  });
  // REST loads its schema cache in the background.
  await expect
    .poll(async () => (await owner.call('GET', '/home')).body.services)
    .toContainEqual({ name: 'rest', fault: null });
});

test('home lists the statements that a start with --keep-going skipped', async () => {
  expect((await owner.call('GET', '/home')).body.skipped).toEqual([]);
  const failures = (statement: string) => backend.database.pool('postgres').exec(statement);
  await failures(
    `insert into _plinth.project_failures (file, line, statement, code, message)
     values ('supabase/migrations/1_a.sql', 3, 'select x', '42703', 'column "x" does not exist')`,
  );
  expect((await owner.call('GET', '/home')).body.skipped).toEqual([
    { file: 'supabase/migrations/1_a.sql', line: 3, message: 'column "x" does not exist' },
  ]);
  await failures('delete from _plinth.project_failures');
});

describe('users', () => {
  test('can be created, found, viewed and deleted', async () => {
    const created = await owner.call('POST', '/users', {
      email: 'ada@example.com',
      password: 'a-Good-password-1',
      confirmed: true,
    });
    expect(created.status).toBe(200);
    const { id } = created.body;
    const list = await owner.call('GET', '/users?search=ada');
    expect(list.body).toMatchObject({ users: [{ id, email: 'ada@example.com' }] });
    expect((await owner.call('GET', `/users/${id}`)).body.identities).toHaveLength(1);
    expect((await owner.call('GET', '/users?search=unknown')).body.users).toEqual([]);
    expect((await owner.call('DELETE', `/users/${id}`)).status).toBe(204);
    expect((await owner.call('GET', `/users/${id}`)).status).toBe(404);
  });

  test('an error from auth is reported', async () => {
    const { status, body } = await owner.call('POST', '/users', { email: 'not an address', password: 'x' });
    expect([status, body.code]).toEqual([400, 'bad_request']);
  });

  test.each(['x', '../../settings', '%2e%2e%2fsettings'])('aren’t found by an invalid ID: %s', async (id) => {
    expect((await owner.call('GET', `/users/${encodeURIComponent(id)}`)).status).toBe(404);
  });
});

describe('the inbox', () => {
  let id: string;
  beforeAll(async () => {
    await backend.fetch('/auth/v1/otp', {
      method: 'POST',
      headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'mail@example.com' }),
    });
    const { body } = await owner.call('GET', '/inbox');
    id = body.messages[0].id;
  });

  test('lists the newest emails first, with their code and link but without their body', async () => {
    const { body } = await owner.call('GET', '/inbox');
    expect(body.total).toBe(1);
    expect(body.messages[0]).toMatchObject({
      to: 'mail@example.com',
      read: false,
      link: expect.stringMatching(/^http/),
    });
    expect(body.messages[0].html).toBeUndefined();
  });

  test('serves an email’s HTML as a sandboxed document that can’t run or load anything', async () => {
    const { headers, body, status } = await owner.call('GET', `/inbox/${id}/html`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('sandbox allow-popups allow-popups-to-escape-sandbox');
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin/);
    expect(body).toContain('<base target="_blank">');
  });

  test('can mark emails as read and delete them', async () => {
    expect((await owner.call('POST', `/inbox/${id}/read`)).status).toBe(204);
    expect((await owner.call('GET', `/inbox/${id}`)).body.read).toBe(true);
    expect((await owner.call('DELETE', `/inbox/${id}`)).status).toBe(204);
    expect((await owner.call('GET', `/inbox/${id}`)).status).toBe(404);
  });
});

test('first steps that are completed are marked automatically', async () => {
  const progress = async () => (await owner.call('GET', '/home')).body.progress;
  expect(await progress()).toMatchObject({ table: true, policy: false, bucket: false, function: false });
  const bucket = { name: 'step', public: false, file_size_limit: null, allowed_mime_types: null };
  await owner.call('POST', '/storage/buckets', bucket);
  await backend.database
    .pool('postgres')
    .exec('alter table public.tasks enable row level security; create policy p on public.tasks using (true)');
  expect(await progress()).toMatchObject({ policy: true, bucket: true });
});

test('a text message is in the inbox with its code, and can be found and deleted', async () => {
  const target = await createTestBackend({
    config: { auth: { sms: { enable_signup: true } } },
  });
  try {
    const operatorThere = await operator(target);
    const sent = await target.fetch('/auth/v1/otp', {
      method: 'POST',
      headers: { apikey: target.keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ phone: '+491705550123' }),
    });
    expect(sent.status).toBe(200);
    const { body } = await operatorThere.call('GET', '/inbox?search=5550123');
    expect(body.messages).toEqual([
      expect.objectContaining({ kind: 'sms', code: expect.stringMatching(/^\d{6}$/) }),
    ]);
    expect((await operatorThere.call('GET', '/inbox?search=nothing')).body.total).toBe(0);
    await operatorThere.call('DELETE', `/inbox/${body.messages[0].id}`);
    expect((await operatorThere.call('GET', '/inbox')).body.total).toBe(0);
  } finally {
    await target.stop();
  }
});
