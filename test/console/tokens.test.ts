/** Tests access tokens that operators create in the Console. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let dev: Operator;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

const create = async (by: Operator, name: string, role: string, lifetimeDays: number | null = 30) =>
  await by.call('POST', '/tokens', { name, role, lifetimeDays });
const list = async (by: Operator) =>
  (await by.call('GET', '/tokens')).body.tokens as { name: string; id: string }[];
const namesOf = async (by: Operator) => (await list(by)).map(({ name }) => name);

/** Calls the Management API and returns the status. */
async function manage(token: string, method = 'GET', path = '/projects', json?: unknown): Promise<number> {
  const response = await backend.console.fetch(`/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return response.status;
}

async function newToken(by: Operator, name: string, role: string): Promise<string> {
  const { status, body } = await create(by, name, role);
  expect(status).toBe(200);
  expect(body.token).toMatch(/^sbp_[0-9a-f]{40}$/);
  return body.token;
}

async function auditOf(name: string) {
  const { body } = await owner.call('GET', `/audit?search=${encodeURIComponent(name)}`);
  return body.entries as { action: string; operator_name: string; detail: Record<string, unknown> }[];
}

const secrets = async (token: string): Promise<number> => {
  const response = await backend.console.fetch('/v1/projects', {
    headers: { authorization: `Bearer ${token}` },
  });
  const [{ ref }] = (await response.json()) as [{ ref: string }];
  return await manage(token, 'POST', `/projects/${ref}/secrets`, [{ name: 'FROM_TOKEN', value: 'x' }]);
};

describe('a token', () => {
  test('acts as its operator, is stored as a hash and appears in the audit log without its value', async () => {
    const token = await newToken(dev, 'laptop', 'developer');
    expect(await manage(token)).toBe(200);
    expect(await secrets(token)).toBe(201);
    const [row] = await backend.database
      .pool('supabase_admin')
      .query<{ text: string }>(sql`select string_agg(t::text, '') as text from _plinth.operator_tokens t`);
    expect(row?.text).not.toContain(token);
    const entries = await auditOf('laptop');
    expect(entries.find(({ action }) => action === 'token.create')).toMatchObject({
      action: 'token.create',
      operator_name: 'dev',
      detail: { operator: 'dev', role: 'developer' },
    });
    expect(JSON.stringify(entries)).not.toContain(token);
    const [listed] = (await dev.call('GET', '/tokens')).body.tokens;
    expect(listed).toMatchObject({
      name: 'laptop',
      operatorName: 'dev',
      role: 'developer',
      isExpired: false,
    });
    expect(listed.lastUsedAt).not.toBeNull();
    expect(Date.parse(listed.expiresAt) - Date.now()).toBeGreaterThan(29 * 24 * 3600 * 1000);
    expect(JSON.stringify(listed)).not.toContain(token);
  });

  test('is limited to its role, and to the current role of its operator', async () => {
    const limited = await newToken(owner, 'report', 'read-only');
    expect(await manage(limited)).toBe(200);
    expect(await secrets(limited)).toBe(403);
    await backend.operators.createOperator('mover', 'developer');
    const mover = await operator(backend, 'mover');
    const strong = await newToken(mover, 'strong', 'developer');
    expect(await secrets(strong)).toBe(201);
    await backend.database
      .pool('supabase_admin')
      .query(sql`update _plinth.operators set role = 'read-only' where name = 'mover'`);
    expect(await secrets(strong)).toBe(403);
    expect((await mover.call('GET', '/tokens')).body.tokens[0]).toMatchObject({ role: 'read-only' });
  });

  test("can't have more permissions than its operator", async () => {
    for (const [by, role] of [
      [dev, 'owner'],
      [looker, 'developer'],
      [looker, 'owner'],
    ] as const) {
      const { status, body } = await create(by, `too strong ${role}`, role);
      expect([status, body.code]).toEqual([403, 'forbidden']);
    }
    expect(await secrets(await newToken(looker, 'reading', 'read-only'))).toBe(403);
  });

  test('can be revoked only by its operator and by owners', async () => {
    const token = await newToken(dev, 'shared', 'developer');
    const own = (await list(dev)).find(({ name }) => name === 'shared');
    expect((await looker.call('DELETE', `/tokens/${own?.id}`)).status).toBe(404);
    expect(await manage(token)).toBe(200);
    expect((await owner.call('DELETE', `/tokens/${own?.id}`)).status).toBe(204);
    expect(await manage(token)).toBe(401);
    expect((await auditOf('shared'))[0]).toMatchObject({
      action: 'token.revoke',
      operator_name: 'owner',
      detail: { operator: 'dev' },
    });
    expect((await dev.call('DELETE', `/tokens/${own?.id}`)).status).toBe(404);
    expect((await dev.call('DELETE', '/tokens/unknown')).status).toBe(404);
  });

  test('is rejected once it has expired', async () => {
    const token = await newToken(dev, 'short', 'developer');
    await backend.database
      .pool('supabase_admin')
      .query(sql`update _plinth.operator_tokens set expires_at = now() where name = 'short'`);
    expect(await manage(token)).toBe(401);
    const listed = (await dev.call('GET', '/tokens')).body.tokens as { name: string; isExpired: boolean }[];
    expect(listed.find(({ name }) => name === 'short')?.isExpired).toBe(true);
  });
});

test('owners see all tokens, and other operators see their own', async () => {
  await create(owner, 'of the owner', 'owner', null);
  await create(dev, 'of the developer', 'developer');
  expect(await namesOf(owner)).toEqual(expect.arrayContaining(['of the owner', 'of the developer']));
  expect(await namesOf(dev)).toContain('of the developer');
  expect(await namesOf(dev)).not.toContain('of the owner');
  const listed = (await owner.call('GET', '/tokens')).body.tokens as { name: string; expiresAt: unknown }[];
  expect(listed.find(({ name }) => name === 'of the owner')?.expiresAt).toBeNull();
});

test.each<[string, Record<string, unknown>, number]>([
  ['a used name', { name: 'twice', role: 'developer', lifetimeDays: 7 }, 409],
  ['an empty name', { name: ' ', role: 'developer', lifetimeDays: 7 }, 400],
  ['a line break', { name: 'a\nb', role: 'developer', lifetimeDays: 7 }, 400],
  ['an unknown role', { name: 'a', role: 'superuser', lifetimeDays: 7 }, 400],
  ['another lifetime', { name: 'a', role: 'developer', lifetimeDays: 100_000 }, 400],
])('%s is rejected', async (_what, body, status) => {
  if (status === 409) await create(dev, 'twice', 'developer');
  expect((await dev.call('POST', '/tokens', body)).status).toBe(status);
});

test('a request without the CSRF token, or from another page, doesn’t create a token', async () => {
  const before = (await list(owner)).length;
  const body = { name: 'forged', role: 'owner', lifetimeDays: null };
  expect((await owner.call('POST', '/tokens', body, { 'x-plinth-csrf': 'wrong' })).status).toBe(403);
  expect((await owner.call('POST', '/tokens', body, { origin: 'https://evil.example' })).status).toBe(403);
  expect(await list(owner)).toHaveLength(before);
});
