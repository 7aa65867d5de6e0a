/** Tests identity providers in the Management API. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createIdp } from '../auth/saml-idp.ts';
import type { Backend } from './harness.ts';

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64');

let backend: Backend;
let off: Backend;
beforeAll(async () => {
  [backend, off] = await Promise.all([
    createTestBackend({ config: { plinth: { auth: { saml: { enabled: true, private_key: privateKey } } } } }),
    createTestBackend(),
  ]);
  for (const each of [backend, off]) {
    await each.operators.createOperator('dev', 'developer');
    await each.operators.createOperator('looker', 'read-only');
  }
});
afterAll(async () => {
  await Promise.all([backend?.stop(), off?.stop()]);
});

async function caller(server: Backend, operator: string) {
  const { token } = await server.operators.tokens.create(`${operator} ${Math.random()}`, operator, 3600);
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await server.console.fetch(`/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const [{ ref }] = (await send('GET', '/projects')).body;
  const providers = `/projects/${ref}/config/auth/sso/providers`;
  return (method: string, path: string, body?: unknown) => send(method, `${providers}${path}`, body);
}

test('can be added, changed, shown and removed', async () => {
  const call = await caller(backend, 'dev');
  const idp = createIdp();
  const added = await call('POST', '', {
    type: 'saml',
    metadata_xml: idp.metadata(),
    domains: ['example.com'],
  });
  expect([added.status, added.body]).toEqual([
    201,
    expect.objectContaining({ domains: [{ domain: 'example.com' }], saml: expect.any(Object) }),
  ]);
  const { id } = added.body;
  const changed = await call('PUT', `/${id}`, { domains: ['example.com', 'example.org'] });
  expect(changed.body.domains).toEqual([{ domain: 'example.com' }, { domain: 'example.org' }]);
  expect((await call('GET', '')).body.items).toMatchObject([{ id, domains: changed.body.domains }]);
  const look = await caller(backend, 'looker');
  expect((await look('GET', `/${id}`)).body).toEqual(changed.body);
  expect((await look('DELETE', `/${id}`)).status).toBe(403);
  expect((await call('DELETE', `/${id}`)).body.id).toBe(id);
  expect(await call('GET', `/${id}`)).toEqual({
    status: 404,
    body: { message: 'SSO Identity Provider not found' },
  });
});

test('are checked by the auth service', async () => {
  const call = await caller(backend, 'dev');
  const response = await call('POST', '', { type: 'saml', metadata_xml: '<x/>' });
  expect([response.status, typeof response.body.message]).toEqual([400, 'string']);
  expect((await call('GET', '/..%2f..%2fusers')).status).toBe(400);
  expect((await call('PUT', '/1', {})).status).toBe(400);
});

test('aren’t available if SAML is off', async () => {
  const call = await caller(off, 'dev');
  const response = await call('GET', '');
  expect([response.status, response.body.message]).toEqual([404, expect.stringContaining('not enabled')]);
});
