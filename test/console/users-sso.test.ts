/** Tests SSO connections in the Console's API. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createIdp } from '../auth/saml-idp.ts';
import { type Backend, type Operator, operator } from './harness.ts';

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64');

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend({
    config: { plinth: { auth: { saml: { enabled: true, private_key: privateKey } } } },
  });
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

const lastAction = async () =>
  (
    await backend.database
      .pool('supabase_admin')
      .query<{ action: string; target: string }>(
        sql`select action, target from _plinth.audit_log order by id desc limit 1`,
      )
  )[0];

test('a connection can be added, listed, changed and removed', async () => {
  const idp = createIdp();
  const mapping = { full_name: { names: ['displayName', 'cn'] } };
  const added = await owner.call('POST', '/sso', {
    source: { xml: idp.metadata() },
    domains: ['Example.com'],
    mapping,
  });
  expect([added.status, added.body]).toEqual([
    200,
    {
      id: expect.any(String),
      entityId: idp.entityId,
      metadataUrl: null,
      domains: ['example.com'],
      mapping,
      disabled: false,
      createdAt: expect.any(String),
    },
  ]);
  expect(await lastAction()).toEqual({ action: 'sso.create', target: idp.entityId });
  const { id } = added.body;
  const changed = await owner.call('PUT', `/sso/${id}`, {
    domains: ['example.org'],
    mapping: {},
    disabled: true,
  });
  expect(changed.body).toMatchObject({ domains: ['example.org'], mapping: {}, disabled: true });
  const { body } = await owner.call('GET', '/sso');
  expect(body).toEqual({
    serviceProvider: {
      entityId: `${backend.url}/auth/v1/sso/saml/metadata`,
      acsUrl: `${backend.url}/auth/v1/sso/saml/acs`,
    },
    connections: [changed.body],
  });
  const { status, body: check } = await owner.call('POST', `/sso/${id}/check`);
  expect([status, check.entityId]).toEqual([200, idp.entityId]);
  expect((await owner.call('DELETE', `/sso/${id}`)).status).toBe(204);
  expect(await lastAction()).toEqual({ action: 'sso.remove', target: idp.entityId });
  expect((await owner.call('DELETE', `/sso/${id}`)).status).toBe(404);
});

test('metadata is checked before anything is stored', async () => {
  const idp = createIdp();
  const { status, body } = await owner.call('POST', '/sso/check', { xml: idp.metadata() });
  expect([status, body]).toEqual([
    200,
    {
      entityId: idp.entityId,
      signOnUrl: 'https://idp.example.com/sso',
      certificates: [
        {
          subject: expect.stringContaining('idp.example.com'),
          fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
          expiresAt: expect.any(String),
        },
      ],
      validUntil: null,
    },
  ]);
  expect((await owner.call('GET', '/sso')).body.connections).toEqual([]);
  const bad = await owner.call('POST', '/sso/check', { xml: '<x/>' });
  expect([bad.status, bad.body.message]).toEqual([400, expect.stringContaining('EntityID')]);
  // With the check, operators must not be able to reach addresses in the server's own network.
  for (const url of ['https://127.0.0.1/metadata', 'http://example.com/metadata', 'file:///etc/passwd'])
    expect([url, (await owner.call('POST', '/sso/check', { url })).status]).toEqual([url, 400]);
  expect((await owner.call('POST', '/sso/check', {})).status).toBe(400);
  const wrong = { source: { xml: idp.metadata() }, domains: ['user@example.com'] };
  expect((await owner.call('POST', '/sso', wrong)).status).toBe(400);
});

test('read-only operators can view connections but not change or check them', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  expect((await looker.call('GET', '/sso')).status).toBe(200);
  const xml = createIdp().metadata();
  expect((await looker.call('POST', '/sso', { source: { xml }, domains: [] })).status).toBe(403);
  expect((await looker.call('POST', '/sso/check', { xml })).status).toBe(403);
});

test('if SAML is off, the response has no service provider and no connections', async () => {
  const off = await createTestBackend();
  try {
    const other = await operator(off);
    expect((await other.call('GET', '/sso')).body).toEqual({ serviceProvider: null, connections: [] });
  } finally {
    await off.stop();
  }
});
