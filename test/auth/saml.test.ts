/**
 * Tests SAML with the stock client and a third-party identity provider library (samlify), and which responses are
 * accepted.
 */
import { createVerify, generateKeyPairSync, X509Certificate } from 'node:crypto';
import * as samlify from 'samlify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, startAuth } from './harness.ts';
import {
  type AnswerParts,
  attribute,
  buildAnswer,
  createIdp,
  encryptAssertion,
  postAnswer,
  readRequest,
  signAnswer,
  type TestIdp,
} from './saml-idp.ts';

const pkcs1 = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs1', format: 'der' })
    .toString('base64');

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const emailAddress = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

const saml = { enabled: true, private_key: pkcs1() };
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({ enable_signup: true }, { plinth: { auth: { saml } } });
});
afterAll(() => auth.stop());

let counter = 0;
const newDomain = () => `company${++counter}.example`;

/** Creates a connection. Returns the content of a valid response. */
async function connect(settings: Record<string, unknown> = {}) {
  const idp = createIdp();
  const domain = newDomain();
  const made = await auth.request('/admin/sso/providers', {
    token: auth.keys.serviceRoleKey,
    json: { type: 'saml', metadata_xml: idp.metadata(), domains: [domain], ...settings },
  });
  expect(made.status).toBe(201);
  const { id } = await made.json<{ id: string }>();
  const acs = `${auth.url}/auth/v1/sso/saml/acs`;
  const audience = `${auth.url}/auth/v1/sso/saml/metadata`;
  const parts: AnswerParts = { acs, audience, issuer: idp.entityId };
  return { id, idp, domain, parts };
}

/** Starts a sign-in with the stock client. Returns the request for the identity provider. */
async function begin(domain: string, flowType: 'implicit' | 'pkce' = 'implicit') {
  const client = auth.client(flowType);
  const { data, error } = await client.auth.signInWithSSO({ domain });
  expect(error).toBeNull();
  return { client, url: data?.url ?? '', ...readRequest(data?.url ?? '') };
}

describe('with a third-party identity provider', () => {
  let idp: ReturnType<typeof samlify.IdentityProvider>;
  let sp: ReturnType<typeof samlify.ServiceProvider>;
  let connection: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    samlify.setSchemaValidator({ validate: async () => 'taken as valid' });
    connection = await connect();
    idp = samlify.IdentityProvider({
      metadata: connection.idp.metadata().replace(persistent, emailAddress),
      privateKey: connection.idp.privateKey,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    });
    const metadata = await auth.request('/sso/saml/metadata');
    expect(metadata.headers.get('content-type')).toBe('application/xml');
    sp = samlify.ServiceProvider({ metadata: await metadata.text() });
  });

  const response = async (url: string) => {
    const request = new URL(url);
    const query = Object.fromEntries(request.searchParams);
    // Also verifies Plinth's signature with the certificate in its metadata.
    const octetString = request.search.slice(1).split('&Signature=')[0] ?? '';
    const parsed = await idp.parseLoginRequest(sp, 'redirect', { query, octetString });
    const made = await idp.createLoginResponse(sp, { ...parsed }, 'post', { email: 'grace@navy.example' });
    const form = { SAMLResponse: (made as { context: string }).context };
    return { form, relayState: query.RelayState ?? '' };
  };

  test('the stock client gets a session', async () => {
    const { url, client } = await begin(connection.domain);
    const { form, relayState } = await response(url);
    const back = await postAnswer(auth, Buffer.from(form.SAMLResponse, 'base64').toString(), relayState);
    expect(back).toMatchObject({ status: 302, fragment: { token_type: 'bearer' } });
    const { access_token = '', refresh_token = '' } = back.fragment;
    const { data, error } = await client.auth.setSession({ access_token, refresh_token });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: 'grace@navy.example',
      app_metadata: { provider: `sso:${connection.id}`, providers: [`sso:${connection.id}`] },
      user_metadata: {
        email: 'grace@navy.example',
        email_verified: true,
        iss: connection.idp.entityId,
        phone_verified: false,
      },
    });
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.amr).toMatchObject([{ method: 'sso/saml' }]);
    expect((await client.auth.refreshSession()).error).toBeNull();
  });

  test('the stock client gets a code with PKCE', async () => {
    const { url, client } = await begin(connection.domain, 'pkce');
    const { form, relayState } = await response(url);
    const back = await postAnswer(auth, Buffer.from(form.SAMLResponse, 'base64').toString(), relayState);
    expect(back.status).toBe(302);
    expect(Object.keys(back.query)).toEqual(['code']);
    const { data, error } = await client.auth.exchangeCodeForSession(back.query.code ?? '');
    expect(error).toBeNull();
    expect(data.user?.email).toBe('grace@navy.example');
  });
});

describe('the request', () => {
  test('is signed, selected by the provider ID, and has the connection’s NameID format', async () => {
    const format = emailAddress;
    const { id, idp } = await connect({ name_id_format: format });
    const { data } = await auth.client().auth.signInWithSSO({ providerId: id });
    const url = new URL(data?.url ?? '');
    expect(url.origin + url.pathname).toBe('https://idp.example.com/sso');
    const { xml } = readRequest(url.href);
    expect(xml).toContain(`Format="${format}"`);
    expect(xml).toContain(`AssertionConsumerServiceURL="${auth.url}/auth/v1/sso/saml/acs"`);
    const metadata = await (await auth.request('/sso/saml/metadata')).text();
    const der = /<X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? '';
    const { publicKey, subject, subjectAltName, validTo } = new X509Certificate(Buffer.from(der, 'base64'));
    expect([subject, subjectAltName, new Date(validTo).getUTCFullYear()]).toEqual([
      'CN=SAML 2.0 Certificate for 127.0.0.1',
      'DNS:_samlsp.127.0.0.1',
      2170,
    ]);
    const [signed = '', signature = ''] = url.search.slice(1).split('&Signature=');
    const isValid = createVerify('sha256')
      .update(signed)
      .verify(publicKey, decodeURIComponent(signature), 'base64');
    expect(isValid).toBe(true);
    expect(idp.certificate).not.toBe(der);
  });

  test('is sent with a redirect unless the client asks for the URL', async () => {
    const { domain } = await connect();
    const response = await auth.request('/sso', { json: { domain: domain.toUpperCase() } });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^https:\/\/idp\.example\.com\/sso\?SAMLRequest=/);
  });

  test.each([
    [{}, 400, 'validation_failed'],
    [{ domain: 'a.example', provider_id: '5f0ba0b8-1a7b-4f3e-9f05-6f8dbd6a5e11' }, 400, 'validation_failed'],
    [{ provider_id: 'x' }, 400, 'bad_json'],
    [{ domain: 'unknown.example' }, 404, 'sso_provider_not_found'],
    [{ provider_id: '5f0ba0b8-1a7b-4f3e-9f05-6f8dbd6a5e11' }, 404, 'sso_provider_not_found'],
  ])('%j is rejected', async (json, status, code) => {
    const response = await auth.request('/sso', { json });
    expect([response.status, (await response.json()).error_code]).toEqual([status, code]);
  });

  test('for a disabled connection is rejected', async () => {
    const { domain } = await connect({ disabled: true });
    const { error } = await auth.client().auth.signInWithSSO({ domain });
    expect(error).toMatchObject({ code: 'sso_provider_disabled', status: 404 });
  });
});

describe('an encrypted assertion', () => {
  test('is accepted for the current and the next key if encryption is enabled', async () => {
    const keys = { private_key: pkcs1(), private_key_next: pkcs1() };
    const plinth = { auth: { saml: { enabled: true, allow_encrypted_assertions: true, ...keys } } };
    const other = await startAuth({}, { plinth });
    try {
      const idp = createIdp();
      await other.request('/admin/sso/providers', {
        token: other.keys.serviceRoleKey,
        json: { type: 'saml', metadata_xml: idp.metadata(), domains: ['encrypted.example'] },
      });
      const metadata = await (await other.request('/sso/saml/metadata')).text();
      const certificates = [...metadata.matchAll(/use="encryption">.*?<X509Certificate>([^<]+)</gs)];
      expect(certificates).toHaveLength(2);
      const send = async (change: (xml: string) => string | Promise<string>) => {
        const { data } = await other.client().auth.signInWithSSO({ domain: 'encrypted.example' });
        const { id, relayState } = readRequest(data?.url ?? '');
        const acs = `${other.url}/auth/v1/sso/saml/acs`;
        const audience = `${other.url}/auth/v1/sso/saml/metadata`;
        const xml = buildAnswer({ acs, audience, issuer: idp.entityId, inResponseTo: id });
        return (await postAnswer(other, await change(xml), relayState)).fragment.access_token;
      };
      for (const [, certificate = ''] of certificates) {
        expect(
          await send((xml) => encryptAssertion(signAnswer(idp, xml, 'Assertion'), certificate)),
        ).toBeDefined();
        const outside = async (xml: string) =>
          signAnswer(idp, await encryptAssertion(xml, certificate), 'Response');
        expect(await send(outside)).toBeDefined();
      }
      const [, certificate = ''] = certificates[0] ?? [];
      const bad: ((xml: string) => Promise<string>)[] = [
        (xml) => encryptAssertion(xml, certificate),
        (xml) => encryptAssertion(signAnswer(createIdp(), xml, 'Assertion'), certificate),
        (xml) => encryptAssertion(signAnswer(idp, xml, 'Assertion', 'sha1'), certificate),
        (xml) => encryptAssertion(signAnswer(idp, xml, 'Assertion'), createIdp().certificate),
        (xml) =>
          encryptAssertion(signAnswer(idp, xml, 'Assertion'), certificate, {
            keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
          }),
      ];
      for (const change of bad) expect(await send(change)).toBeUndefined();
    } finally {
      await other.stop();
    }
  });
});

describe('Plinth’s metadata', () => {
  test('can be downloaded as a file and contains the next key', async () => {
    const other = await startAuth(
      {},
      {
        plinth: {
          auth: {
            saml: {
              ...saml,
              private_key_next: pkcs1(),
              allow_encrypted_assertions: true,
              external_url: 'https://auth.example.com/auth/v1/',
            },
          },
        },
      },
    );
    try {
      const response = await other.request('/sso/saml/metadata?download=true');
      const xml = await response.text();
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"');
      expect(response.headers.get('cache-control')).toBe('public, max-age=60');
      expect(xml).toContain('entityID="https://auth.example.com/auth/v1/sso/saml/metadata"');
      expect(xml.match(/use="signing"/g)).toHaveLength(2);
      expect(xml.match(/use="encryption"/g)).toHaveLength(2);
      const settings = await (await other.request('/settings')).json<Record<string, unknown>>();
      expect(settings).toMatchObject({ saml_enabled: true, saml_private_key_next_configured: true });
    } finally {
      await other.stop();
    }
  });
});

test('SAML can be disabled and enabled while the server runs', async () => {
  const server = await startAuth({}, { plinth: { auth: { saml } } });
  const enable = (enabled: boolean) => server.configure({ auth: { saml: { ...saml, enabled } } });
  const responses = async () => {
    const [acs, metadata] = await Promise.all([
      server.request('/sso/saml/acs', { method: 'POST' }),
      server.request('/sso/saml/metadata'),
    ]);
    return [acs.status, metadata.status];
  };
  try {
    // Without a response from an identity provider, the browser is redirected with an error.
    expect(await responses()).toEqual([303, 200]);
    await enable(false);
    expect(await responses()).toEqual([404, 404]);
    await enable(true);
    expect(await responses()).toEqual([303, 200]);
  } finally {
    await server.stop();
  }
});

describe('a response', () => {
  let connection: Awaited<ReturnType<typeof connect>>;
  let idp: TestIdp;
  let parts: AnswerParts;
  beforeAll(async () => {
    connection = await connect();
    ({ idp, parts } = connection);
  });

  const refusal = { status: 303, query: { error: 'invalid_request', error_code: 'validation_failed' } };
  const invalid = {
    ...refusal,
    query: { ...refusal.query, error_description: 'SAML Assertion is not valid' },
  };
  /** Starts a sign-in, and sends a modified copy of a valid response to it. */
  const answerOurs = async (
    change: Partial<AnswerParts> = {},
    sign: (xml: string) => string = (xml) => signAnswer(idp, xml, 'Assertion'),
  ) => {
    const { id, relayState } = await begin(connection.domain);
    return postAnswer(auth, sign(buildAnswer({ ...parts, inResponseTo: id, ...change })), relayState);
  };

  test.each([
    ['with a signed assertion', (xml: string) => signAnswer(idp, xml, 'Assertion')],
    ['signed as a whole', (xml: string) => signAnswer(idp, xml, 'Response')],
    ['signed twice', (xml: string) => signAnswer(idp, signAnswer(idp, xml, 'Assertion'), 'Response')],
    ['signed with SHA-512', (xml: string) => signAnswer(idp, xml, 'Assertion', 'sha512')],
  ])('%s is accepted', async (_name, sign) => {
    expect((await answerOurs({}, sign)).fragment).toHaveProperty('access_token');
  });

  test('without a request is accepted from the provider once', async () => {
    const xml = signAnswer(idp, buildAnswer({ ...parts, nameId: 'unasked' }), 'Assertion');
    const first = await postAnswer(auth, xml, 'http://127.0.0.1:3000/welcome');
    expect(first.location.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/welcome#access_token=/);
    expect(await postAnswer(auth, xml)).toMatchObject(invalid);
    // The bytes of this response are different, but the signature is the same.
    expect(await postAnswer(auth, xml.replace('<saml:Issuer>', '<saml:Issuer >'))).toMatchObject(invalid);
  });

  test('doesn’t redirect to a URL that isn’t allowed', async () => {
    const xml = signAnswer(idp, buildAnswer({ ...parts, nameId: 'unasked' }), 'Assertion');
    const back = await postAnswer(auth, xml, 'https://evil.example/');
    expect(back.location.origin).toBe('http://127.0.0.1:3000');
    expect(back.fragment).toHaveProperty('access_token');
  });

  test('to a sign-in is accepted once, valid or not', async () => {
    const { id, relayState } = await begin(connection.domain);
    const good = signAnswer(idp, buildAnswer({ ...parts, inResponseTo: id }), 'Assertion');
    expect(await postAnswer(auth, '<bad/>', relayState)).toMatchObject(invalid);
    expect((await postAnswer(auth, good, relayState)).query).toMatchObject({
      error: 'server_error',
      error_code: 'saml_relay_state_not_found',
    });
  });

  test('that arrives too late is rejected', async () => {
    const { id, relayState } = await begin(connection.domain);
    const good = signAnswer(idp, buildAnswer({ ...parts, inResponseTo: id }), 'Assertion');
    await auth.database
      .pool('supabase_admin')
      .query(
        sql`update auth.saml_relay_states set created_at = now() - interval '2 minutes' where id = ${relayState}`,
      );
    expect((await postAnswer(auth, good, relayState)).query).toMatchObject({
      error_code: 'saml_relay_state_expired',
    });
  });

  test.each<[string, Partial<AnswerParts>]>([
    ['for another audience', { audience: 'https://other.example/metadata' }],
    ['without an audience', { audienceXml: '' }],
    [
      'for Plinth in one audience restriction but not in the other',
      {
        audienceXml: '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>',
      },
    ],
    ['with another recipient', { recipient: 'https://other.example/acs' }],
    ['with another destination', { destination: 'https://other.example/acs' }],
    ['to another request', { inResponseTo: 'id-0123' }],
    ['to no request', { inResponseTo: undefined }],
    ['whose subject confirms another request', { subjectInResponseTo: 'id-0123' }],
    ['whose subject confirms no request', { subjectInResponseTo: undefined }],
    ['of another issuer', { issuer: 'https://other.example/metadata' }],
    ['whose assertion is of another issuer', { assertionIssuer: 'https://other.example/metadata' }],
    ['with an error status', { status: 'Responder' }],
    ['that has expired', { offsetMs: -300_000 }],
    ['from the future', { offsetMs: 300_000 }],
    ['whose subject is confirmed with another method', { method: 'holder-of-key' }],
  ])('%s is rejected', async (_name, change) => {
    expect(await answerOurs(change)).toMatchObject(invalid);
    const wholly = await answerOurs(change, (xml) => signAnswer(idp, xml, 'Response'));
    expect(wholly).toMatchObject(invalid);
  });

  test('that is signed as a whole must contain its destination', async () => {
    const back = await answerOurs({ destination: undefined }, (xml) => signAnswer(idp, xml, 'Response'));
    expect(back).toMatchObject(invalid);
    expect((await answerOurs({ destination: undefined })).fragment).toHaveProperty('access_token');
  });

  test('to a sign-in is rejected if it is presented as unsolicited', async () => {
    const { id } = await begin(connection.domain);
    const xml = signAnswer(idp, buildAnswer({ ...parts, inResponseTo: id }), 'Assertion');
    expect(await postAnswer(auth, xml)).toMatchObject(invalid);
    // The outer element isn't signed, so an attacker can remove the element's InResponseTo attribute. The signed
    // assertion still contains the request's ID.
    const bare = xml.replace(/(<samlp:Response[^>]*) InResponseTo="[^"]*"/, '$1');
    expect(await postAnswer(auth, bare)).toMatchObject(invalid);
  });

  test.each<[string, (xml: string) => string]>([
    ['without a signature', (xml) => xml],
    ['signed with SHA-1', (xml) => signAnswer(idp, xml, 'Assertion', 'sha1')],
    ['signed by another provider', (xml) => signAnswer(createIdp(), xml, 'Assertion')],
    [
      'signed by another provider that includes its certificate',
      (xml) => {
        const other = createIdp();
        const info = `<KeyInfo><X509Data><X509Certificate>${other.certificate}</X509Certificate></X509Data></KeyInfo>`;
        return signAnswer(other, xml, 'Assertion').replace('</Signature>', `${info}</Signature>`);
      },
    ],
    [
      'whose assertion was changed',
      (xml) => signAnswer(idp, xml, 'Assertion').replace('ada@example.com', 'eve@example.com'),
    ],
    [
      'whose envelope was changed',
      (xml) => signAnswer(idp, xml, 'Response').replace('status:Success"/>', 'status:Success" a="b"/>'),
    ],
    [
      'whose signature is an HMAC under the public certificate',
      (xml) =>
        signAnswer(idp, xml, 'Assertion').replace(
          'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
          'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
        ),
    ],
    [
      'whose signature covers none of it',
      (xml) => signAnswer(idp, xml, 'Assertion').replace(/URI="#[^"]+"/, 'URI="#nothing"'),
    ],
    [
      'whose signature references everything and nothing',
      (xml) => signAnswer(idp, xml, 'Assertion').replace(/URI="#[^"]+"/, 'URI=""'),
    ],
    [
      'with an encrypted assertion, which we do not take',
      (xml) => xml.replaceAll('saml:Assertion', 'saml:EncryptedAssertion'),
    ],
    ['that isn’t XML', () => 'no XML'],
    ['that is another document', () => '<x xmlns="urn:oasis:names:tc:SAML:2.0:protocol"/>'],
    [
      'with entities that grow (billion laughs)',
      (xml) =>
        `<!DOCTYPE r [<!ENTITY a "${'ha'.repeat(100)}"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${signAnswer(idp, xml, 'Assertion').replace('ada-1', '&b;')}`,
    ],
    [
      'with a file of ours as an entity (XXE)',
      (xml) =>
        `<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/hostname">]>${signAnswer(idp, xml, 'Assertion').replace('ada-1', '&f;')}`,
    ],
  ])('%s is rejected', async (_name, sign) => {
    expect(await answerOurs({}, sign)).toMatchObject(invalid);
  });

  describe('that wraps a signed one (XML signature wrapping)', () => {
    const evil = (xml: string) =>
      xml
        .replace('ada-1', 'eve-1')
        .replace('ada@example.com', 'admin@example.com')
        .replace(/ ID="_a[^"]+"/, ' ID="_evil"');
    const assertionOf = (xml: string) => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? '';
    const signatureOf = (xml: string) => /<Signature.*<\/Signature>/s.exec(xml)?.[0] ?? '';
    const shapes: [string, (xml: string) => string][] = [
      [
        'next to the signed one, first',
        (xml) =>
          signAnswer(idp, xml, 'Assertion').replace(
            '<saml:Assertion',
            `${assertionOf(evil(xml))}<saml:Assertion`,
          ),
      ],
      [
        'next to the signed one, last',
        (xml) =>
          signAnswer(idp, xml, 'Assertion').replace(
            '</samlp:Response>',
            `${assertionOf(evil(xml))}</samlp:Response>`,
          ),
      ],
      [
        'around the signed one',
        (xml) => {
          const signed = assertionOf(signAnswer(idp, xml, 'Assertion'));
          return evil(xml).replace(
            '</saml:Assertion>',
            `<saml:Advice>${signed}</saml:Advice></saml:Assertion>`,
          );
        },
      ],
      [
        'with the signed one inside its signature',
        (xml) => {
          const signed = signAnswer(idp, xml, 'Assertion');
          const original = assertionOf(signed).replace(signatureOf(signed), '');
          const signature = signatureOf(signed).replace(
            '</Signature>',
            `<Object>${original}</Object></Signature>`,
          );
          return evil(xml).replace(/(<saml:Assertion.*?<\/saml:Issuer>)/s, `$1${signature}`);
        },
      ],
      [
        'with the signed one in an extension of the envelope',
        (xml) => {
          const signed = signAnswer(idp, xml, 'Assertion');
          return evil(xml).replace(
            '<samlp:Status>',
            `<samlp:Extensions>${assertionOf(signed)}</samlp:Extensions><samlp:Status>`,
          );
        },
      ],
      [
        'under the same ID',
        (xml) => {
          const signed = signAnswer(idp, xml, 'Assertion');
          const id = / ID="(_a[^"]+)"/.exec(xml)?.[1] ?? '';
          const twin = assertionOf(evil(xml)).replace('"_evil"', `"${id}"`);
          return signed.replace('<saml:Assertion', `${twin}<saml:Assertion`);
        },
      ],
      [
        'around a whole signed response',
        (xml) => {
          const signed = signAnswer(idp, xml, 'Response');
          return evil(xml)
            .replace(/ ID="_r[^"]+"/, ' ID="_evil_r"')
            .replace('<samlp:Status>', `<samlp:Extensions>${signed}</samlp:Extensions><samlp:Status>`);
        },
      ],
      [
        'in another namespace',
        (xml) => {
          const signed = signAnswer(idp, xml, 'Assertion');
          const other = assertionOf(evil(xml)).replace(
            'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
            'xmlns:saml="urn:other"',
          );
          return signed.replace('<saml:Assertion', `${other}<saml:Assertion`);
        },
      ],
    ];
    test.each(shapes)('%s is rejected', async (_name, wrap) => {
      const before = await auth.database
        .pool('supabase_admin')
        .queryText(sql`select count(*) from auth.users`);
      expect(await answerOurs({}, wrap)).toMatchObject(invalid);
      const after = await auth.database
        .pool('supabase_admin')
        .queryText(sql`select count(*) from auth.users`);
      expect(after.rows).toEqual(before.rows);
    });
  });

  test('can’t be truncated by a comment in the name', async () => {
    const name = 'admin@example.com<!-- -->.evil.example';
    const format = emailAddress;
    const back = await answerOurs({ nameId: name, nameIdFormat: format, email: '' });
    const user = await auth.client().auth.getUser(back.fragment.access_token);
    expect(user.data.user?.email).toBe('admin@example.com.evil.example');
    // A comment that an attacker inserts later doesn't change the signed content, and doesn't truncate the value
    // either.
    const later = await answerOurs(
      { nameId: 'eve@example.com.evil.example', nameIdFormat: format, email: '' },
      (xml) =>
        signAnswer(idp, xml, 'Assertion').replace('eve@example.com.evil', 'eve@example.com<!-- -->.evil'),
    );
    const eve = await auth.client().auth.getUser(later.fragment.access_token);
    expect(eve.data.user?.email ?? 'refused').not.toBe('eve@example.com');
  });

  test.each([
    [
      'transient',
      { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      'saml_assertion_no_user_id',
    ],
    ['no address', { email: '' }, 'saml_assertion_no_email'],
  ])('without a usable identifier is rejected: %s', async (_name, change, code) => {
    expect((await answerOurs(change)).query).toMatchObject({ error: 'invalid_request', error_code: code });
  });

  test('from an unknown provider, or an invalid response, is rejected', async () => {
    const stranger = createIdp();
    const xml = signAnswer(stranger, buildAnswer({ ...parts, issuer: stranger.entityId }), 'Assertion');
    expect((await postAnswer(auth, xml)).query.error_code).toBe('saml_idp_not_found');
    const good = signAnswer(idp, buildAnswer(parts), 'Assertion');
    expect((await postAnswer(auth, good, 'neither')).query.error_description).toBe(
      'SAML RelayState is not a valid UUID or URL',
    );
    const unknown = await postAnswer(auth, good, '5f0ba0b8-1a7b-4f3e-9f05-6f8dbd6a5e11');
    expect(unknown.query.error_code).toBe('saml_relay_state_not_found');
    for (const [body, description] of [
      ['', 'SAMLResponse is missing'],
      ['SAMLart=x', 'SAML Artifact response can only be used with SP initiated flow'],
      ['SAMLResponse=%25', 'SAMLResponse is not a valid Base64 string'],
      ['SAMLResponse=PHg%2B', 'SAMLResponse is not a valid XML SAML assertion'],
    ]) {
      const response = await auth.request('/sso/saml/acs', { method: 'POST', body: body ?? '' });
      const location = new URL(response.headers.get('location') ?? '');
      expect(location.searchParams.get('error_description')).toBe(description);
      expect(location.hash).toBe('');
    }
  });
});

describe('the user', () => {
  const signIn = async (
    { idp, parts, domain }: Awaited<ReturnType<typeof connect>>,
    change: Partial<AnswerParts>,
  ) => {
    const { id, relayState } = await begin(domain);
    const xml = signAnswer(idp, buildAnswer({ ...parts, inResponseTo: id, ...change }), 'Assertion');
    const back = await postAnswer(auth, xml, relayState);
    const { access_token = '', refresh_token = '' } = back.fragment;
    const client = auth.client();
    await client.auth.setSession({ access_token, refresh_token });
    const { data } = await client.auth.getUser();
    return { user: data.user, client, back };
  };

  test('has the claims that the connection maps, and no others', async () => {
    const connection = await connect({
      attribute_mapping: {
        keys: {
          name: { name: 'displayName' },
          groups: { names: ['memberOf', 'groups'], array: true },
          plan: { name: 'plan', default: 'free' },
          seats: { name: 'seats', default: 3 },
          absent: { name: 'nothing' },
          sub: { name: 'displayName' },
          email_verified: { name: 'displayName' },
        },
      },
    });
    const attributes =
      attribute('DISPLAYNAME', 'Ada Lovelace') +
      attribute('groups', 'eng', 'math') +
      attribute('secret', 'x');
    const { user } = await signIn(connection, { attributes });
    expect(user?.user_metadata).toEqual({
      name: 'Ada Lovelace',
      custom_claims: { groups: ['eng', 'math'], plan: 'free', seats: 3 },
      iss: connection.idp.entityId,
      sub: 'ada-1',
      email: 'ada@example.com',
      email_verified: true,
      phone_verified: false,
    });
  });

  test('is identified by name ID and connection, and is the same at every sign-in', async () => {
    const connection = await connect();
    const first = await signIn(connection, {});
    const again = await signIn(connection, { email: 'ada@new.example' });
    expect(again.user?.id).toBe(first.user?.id);
    expect(again.user?.user_metadata.email).toBe('ada@new.example');
    const elsewhere = await signIn(await connect(), {});
    expect(elsewhere.user?.id).not.toBe(first.user?.id);
    // The operator of an identity provider can't take over an account that has a password by asserting the account's
    // email address.
    const email = 'owner@example.com';
    const { data } = await auth.client().auth.signUp({ email, password: 'correct horse' });
    const taken = await signIn(connection, { nameId: 'someone', email });
    expect(taken.user?.id).not.toBe(data.user?.id);
    expect(taken.user?.email).toBe(email);
    const back = await auth.client().auth.signInWithPassword({ email, password: 'correct horse' });
    expect(back.data.user?.id).toBe(data.user?.id);
  });

  test("can't change the identity provider's data", async () => {
    const { client } = await signIn(await connect(), {});
    expect((await client.auth.updateUser({ password: 'another one' })).error?.code).toBe('user_sso_managed');
  });

  test('can’t sign in while banned', async () => {
    const connection = await connect();
    const { user } = await signIn(connection, {});
    await auth.admin().auth.admin.updateUserById(user?.id ?? '', { ban_duration: '1h' });
    const { back } = await signIn(connection, {});
    expect(back.query).toMatchObject({ error: 'access_denied', error_code: 'user_banned' });
  });

  test('has a session that ends no later than the provider’s, also with PKCE', async () => {
    const connection = await connect();
    const sessionEnd = new Date(Date.now() + 1_800_000).toISOString();
    const { client } = await signIn(connection, { sessionEnd });
    const begun = await begin(connection.domain, 'pkce');
    const xml = buildAnswer({ ...connection.parts, inResponseTo: begun.id, sessionEnd });
    const back = await postAnswer(auth, signAnswer(connection.idp, xml, 'Assertion'), begun.relayState);
    await begun.client.auth.exchangeCodeForSession(back.query.code ?? '');
    auth.clock.advance(1_700_000);
    expect((await client.auth.refreshSession()).error).toBeNull();
    auth.clock.advance(200_000);
    for (const one of [client, begun.client]) {
      expect((await one.auth.refreshSession()).error?.code).toBe('session_expired');
    }
    auth.clock.advance(-1_900_000);
  });
});
