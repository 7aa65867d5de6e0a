/** Tests /admin/sso/providers: connections, and metadata that is fetched from a URL. */
import { createPrivateKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  createOutgoing,
  OutgoingError,
  type OutgoingRequest,
} from '../../src/base/shared/network/outgoing.ts';
import { type AuthServer, startAuth } from './harness.ts';
import { buildAnswer, createIdp, postAnswer, signAnswer, type TestIdp } from './saml-idp.ts';

interface Provider {
  readonly id: string;
  readonly saml: Record<string, unknown>;
  readonly domains: { readonly domain: string }[];
}

let auth: AuthServer;
const asked: OutgoingRequest[] = [];
let document: () => { status: number; text: string } = () => ({ status: 404, text: '' });
beforeAll(async () => {
  const outgoing = {
    ...createOutgoing({ mode: 'production' }),
    async send(request: OutgoingRequest) {
      asked.push(request);
      return { contentType: 'application/xml', ...document() };
    },
  };
  auth = await startAuth({}, { outgoing, plinth: { auth: { saml: { enabled: true, private_key: key } } } });
});
afterAll(() => auth.stop());

/** An RSA key in PKCS#1 format. */
const key = createPkcs1();
function createPkcs1(): string {
  const pem = createIdp().privateKey;
  return createPrivateKey(pem).export({ type: 'pkcs1', format: 'der' }).toString('base64');
}

const call = async (method: string, path: string, json?: unknown) => {
  const response = await auth.request(`/admin/sso/providers${path}`, {
    method,
    token: auth.keys.serviceRoleKey,
    ...(json === undefined ? {} : { json }),
  });
  return { status: response.status, body: await response.json<Provider & Record<string, unknown>>() };
};
const create = (settings: Record<string, unknown>) => call('POST', '', { type: 'saml', ...settings });

describe('a connection', () => {
  test('can be created, shown, listed, changed and removed', async () => {
    const idp = createIdp();
    const domain = `${randomUUID()}.example`;
    const attribute_mapping = { keys: { name: { name: 'cn' } } };
    const made = await create({
      metadata_xml: idp.metadata(),
      domains: [domain],
      attribute_mapping,
      resource_id: `r-${domain}`,
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resource_id: `r-${domain}`,
      disabled: null,
      saml: { entity_id: idp.entityId, metadata_xml: idp.metadata(), attribute_mapping },
      domains: [{ domain }],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await call('GET', `/${id}`)).body).toEqual(made.body);
    expect((await call('GET', `/resource_r-${domain}`)).body).toEqual(made.body);

    for (const [query, found] of [
      ['', true],
      [`?resource_id=r-${domain}`, true],
      ['?resource_id_prefix=r-', true],
      ['?resource_id_prefix=r_', false],
      ['?resource_id=other', false],
    ] as const) {
      const { body } = await call('GET', query);
      const item = (body.items as Provider[]).find((each) => each.id === id);
      expect(item !== undefined).toBe(found);
      expect(item?.saml.metadata_xml).toBeUndefined();
    }

    const other = `${randomUUID()}.example`;
    const changed = await call('PUT', `/${id}`, {
      domains: [other],
      disabled: true,
      resource_id: '',
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ disabled: true, domains: [{ domain: other }] });
    expect(changed.body).not.toHaveProperty('resource_id');
    expect(changed.body.saml).toMatchObject({
      attribute_mapping,
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    });
    const untouched = await call('PUT', `/${id}`, {});
    expect(untouched.body).toMatchObject({ disabled: true, domains: [{ domain: other }] });

    expect((await call('DELETE', `/${id}`)).body.id).toBe(id);
    expect((await call('GET', `/${id}`)).status).toBe(404);
    const left = await auth.database
      .pool('supabase_admin')
      .queryText(sql`select 1 from auth.sso_domains where sso_provider_id = ${id}`);
    expect(left.rows).toEqual([]);
  });

  const idp = createIdp();
  const emptied = (name: string) => idp.metadata().replace(new RegExp(`<${name}.*</${name}>`, 's'), '');
  test.each<[string, Record<string, unknown>, string]>([
    ['another type', { type: 'oidc', metadata_xml: 'x' }, "Only 'saml' supported for SSO provider type"],
    ['no metadata', {}, 'Either metadata_xml or metadata_url must be set'],
    [
      'both',
      { metadata_xml: 'x', metadata_url: 'https://idp.example.com' },
      'Only one of metadata_xml or metadata_url needs to be set',
    ],
    ['plain http', { metadata_url: 'http://idp.example.com' }, 'metadata_url is not a HTTPS URL'],
    ['no address', { metadata_url: 'https://idp.example.com\\x' }, 'metadata_url is not a valid URL'],
    ['a file', { metadata_url: 'file:///etc/passwd' }, 'metadata_url is not a HTTPS URL'],
    [
      'another NameID format',
      { metadata_xml: idp.metadata(), name_id_format: 'x' },
      'name_id_format must be unspecified or one of',
    ],
    [
      'metadata without an entity',
      { metadata_xml: idp.metadata().replace(/entityID="[^"]+"/, '') },
      'SAML Metadata does not contain an EntityID',
    ],
    [
      'metadata without an identity provider',
      { metadata_xml: emptied('IDPSSODescriptor') },
      'SAML Metadata does not contain any IDPSSODescriptor',
    ],
    [
      'metadata with entities',
      { metadata_xml: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${idp.metadata()}` },
      'SAML Metadata is not valid XML',
    ],
  ])('is rejected: %s', async (_name, settings, message) => {
    const { status, body } = await create(settings);
    expect([status, body.error_code]).toEqual([400, 'validation_failed']);
    expect(body.msg).toContain(message);
  });

  test('with a taken EntityID or domain is rejected', async () => {
    const domain = `${randomUUID()}.example`;
    const first = await create({ metadata_xml: idp.metadata(), domains: [domain] });
    expect(first.status).toBe(201);
    const again = await create({ metadata_xml: idp.metadata() });
    expect([again.status, again.body.error_code]).toEqual([422, 'saml_idp_already_exists']);
    const other = createIdp();
    const taken = await create({ metadata_xml: other.metadata(), domains: [domain.toUpperCase()] });
    expect([taken.status, taken.body.error_code]).toEqual([400, 'sso_domain_already_exists']);
    const second = await create({ metadata_xml: other.metadata() });
    const moved = await call('PUT', `/${second.body.id}`, { domains: [domain] });
    expect([moved.status, moved.body.error_code]).toEqual([400, 'sso_domain_already_exists']);
    const swapped = await call('PUT', `/${second.body.id}`, { metadata_xml: idp.metadata() });
    expect([swapped.status, swapped.body.error_code]).toEqual([400, 'saml_entity_id_mismatch']);
    await call('PUT', `/${first.body.id}`, { resource_id: domain });
    const named = await auth.request(`/admin/sso/providers/${second.body.id}`, {
      method: 'PUT',
      token: auth.keys.serviceRoleKey,
      json: { resource_id: domain },
      headers: { 'x-supabase-api-version': '2024-01-01' },
    });
    expect([named.status, await named.json()]).toEqual([422, expect.objectContaining({ code: 'conflict' })]);
  });

  test.each([
    ['GET', ''],
    ['POST', ''],
    ['GET', `/${randomUUID()}`],
    ['PUT', `/${randomUUID()}`],
    ['DELETE', `/${randomUUID()}`],
  ])('%s %s requires an administrator', async (method, path) => {
    const response = await auth.request(`/admin/sso/providers${path}`, {
      method,
      token: auth.keys.anonKey,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
    });
    expect([response.status, (await response.json()).error_code]).toEqual([403, 'not_admin']);
  });

  test.each([randomUUID(), 'x', 'resource_unknown'])('%s is not found', async (id) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await call(method, `/${id}`, method === 'PUT' ? {} : undefined);
      expect([status, body.error_code]).toEqual([404, 'sso_provider_not_found']);
    }
  });
});

describe('metadata from a URL', () => {
  const connectByUrl = async (idp: TestIdp, attributes = '') => {
    document = () => ({ status: 200, text: idp.metadata(attributes) });
    asked.length = 0;
    const made = await create({ metadata_url: 'https://idp.example.com/metadata' });
    expect(made.status).toBe(201);
    expect(made.body.saml).toMatchObject({ metadata_url: 'https://idp.example.com/metadata' });
    expect(asked[0]).toMatchObject({ url: 'https://idp.example.com/metadata', reach: 'public' });
    asked.length = 0;
    return made.body.id;
  };
  const signIn = async (idp: TestIdp, offsetMs = 0) => {
    const acs = `${auth.url}/auth/v1/sso/saml/acs`;
    const audience = `${auth.url}/auth/v1/sso/saml/metadata`;
    const xml = buildAnswer({ acs, audience, issuer: idp.entityId, offsetMs });
    return (await postAnswer(auth, signAnswer(idp, xml, 'Assertion'))).fragment.access_token !== undefined;
  };

  test('is fetched once a day, and a new certificate is then used', async () => {
    const idp = createIdp();
    await connectByUrl(idp);
    const successor = createIdp(idp.entityId);
    document = () => ({ status: 200, text: successor.metadata() });
    expect(await signIn(idp)).toBe(true);
    expect(asked).toEqual([]);
    expect(await signIn(successor)).toBe(false);
    const dayMs = 86_400_000;
    auth.clock.advance(dayMs + 60_000);
    expect(await signIn(successor, dayMs + 60_000)).toBe(true);
    expect(asked).toHaveLength(1);
    expect(await signIn(idp, dayMs + 60_000)).toBe(false);
    expect(asked).toHaveLength(1);
    auth.clock.advance(-dayMs - 60_000);
  });

  test('stays in use if it can’t be fetched or now belongs to a different provider', async () => {
    const idp = createIdp();
    await connectByUrl(idp, ' cacheDuration="PT1M"');
    auth.clock.advance(120_000);
    for (const fault of [
      () => ({ status: 500, text: '' }),
      () => ({ status: 200, text: 'no XML' }),
      () => ({ status: 200, text: createIdp().metadata() }),
      () => {
        throw new OutgoingError('it did not answer');
      },
    ]) {
      document = fault;
      asked.length = 0;
      expect(await signIn(idp, 120_000)).toBe(true);
      expect(asked).toHaveLength(1);
    }
    auth.clock.advance(-120_000);
  });

  test('that can’t be fetched doesn’t create a connection', async () => {
    document = () => ({ status: 404, text: '' });
    const missing = await create({ metadata_url: 'https://idp.example.com/none' });
    expect(missing.body).toMatchObject({
      error_code: 'saml_metadata_fetch_failed',
      msg: "HTTP 404 error fetching SAML Metadata from URL 'https://idp.example.com/none'",
    });
  });

  test('isn’t fetched from the server’s own network', async () => {
    const plinth = { auth: { saml: { enabled: true, private_key: key } } };
    const real = await startAuth({}, { plinth });
    try {
      for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]', '0.0.0.0']) {
        const response = await real.request('/admin/sso/providers', {
          token: real.keys.serviceRoleKey,
          json: { type: 'saml', metadata_url: `https://${host}/metadata` },
        });
        expect([response.status, (await response.json()).error_code]).toEqual([
          400,
          'saml_metadata_fetch_failed',
        ]);
      }
    } finally {
      await real.stop();
    }
  });
});

test('all routes are rejected while SAML is disabled, except for its administration', async () => {
  const off = await startAuth();
  try {
    for (const [method, path] of [
      ['POST', '/sso'],
      ['POST', '/sso/saml/acs'],
      ['GET', '/sso/saml/metadata'],
    ] as const) {
      const response = await off.request(path, { method });
      expect([response.status, (await response.json()).error_code]).toEqual([404, 'saml_provider_disabled']);
    }
    const list = await off.request('/admin/sso/providers', { token: off.keys.serviceRoleKey });
    expect(await list.json()).toEqual({ items: [] });
    expect(await (await off.request('/settings')).json()).toMatchObject({ saml_enabled: false });
  } finally {
    await off.stop();
  }
});
