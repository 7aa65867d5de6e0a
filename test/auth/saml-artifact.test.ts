/**
 * Tests SAML's artifact binding, in which the browser delivers only a reference to the response. The server fetches the
 * response and verifies it like any other SAML response.
 */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { getVerifiedXml, parseDomFromString, xpath } from '@node-saml/node-saml/lib/xml.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutgoing, type OutgoingRequest } from '../../src/base/shared/network/outgoing.ts';
import { type AuthServer, startAuth } from './harness.ts';
import { type AnswerParts, buildAnswer, createIdp, readRequest, signAnswer } from './saml-idp.ts';

const private_key = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64');
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const idp = createIdp();
const resolver = 'https://idp.example.com/artifact';

/** A function that returns the identity provider's response to an artifact resolution request. */
type Resolve = (question: string, response: string) => { status: number; text: string };

const idOf = (xml: string) => / ID="([^"]+)"/.exec(xml)?.[1] ?? '';
const envelope = (
  question: string,
  response: string,
  { answers = idOf(question), status = 'Success', issuer = idp.entityId, offsetMs = 0 } = {},
) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><samlp:ArtifactResponse xmlns:samlp="${protocol}" ` +
  `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_x" Version="2.0" InResponseTo="${answers}" ` +
  `IssueInstant="${new Date(Date.now() + offsetMs).toISOString()}"><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode ` +
  `Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>${response}</samlp:ArtifactResponse></s:Body></s:Envelope>`;
const honest: Resolve = (question, response) => ({ status: 200, text: envelope(question, response) });

const outgoing = createOutgoing({ mode: 'development' });
let auth: AuthServer;
let resolve = honest;
let response = '';
const asked: OutgoingRequest[] = [];

const services = (...list: string[]) =>
  idp.metadata().replace('<KeyDescriptor', `${list.join('')}<KeyDescriptor`);
const service = (index: number, url: string, isDefault = false) =>
  `<ArtifactResolutionService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="${url}" index="${index}" isDefault="${isDefault}"/>`;

beforeAll(async () => {
  auth = await startAuth(
    {},
    {
      plinth: { auth: { saml: { enabled: true, private_key } } },
      outgoing: {
        ...outgoing,
        async send(request) {
          asked.push(request);
          if (!request.url.startsWith('https://idp.example.com/')) return outgoing.send(request);
          return { contentType: 'text/xml', ...resolve(request.body ?? '', response) };
        },
      },
    },
  );
  const made = await auth.request('/admin/sso/providers', {
    token: auth.keys.serviceRoleKey,
    json: {
      type: 'saml',
      metadata_xml: services(
        service(0, `${resolver}/0`),
        service(7, resolver, true),
        service(8, 'http://127.0.0.1:1/'),
      ),
      domains: ['company.example'],
    },
  });
  expect(made.status).toBe(201);
});
afterAll(() => auth.stop());

function artifactOf({ type = 4, index = 7, source = idp.entityId } = {}): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(index, 2);
  return Buffer.concat([head, createHash('sha1').update(source).digest(), randomBytes(20)]).toString(
    'base64',
  );
}

async function begin() {
  const { data } = await auth.client().auth.signInWithSSO({ domain: 'company.example' });
  const request = readRequest(data?.url ?? '');
  const base = `${auth.url}/auth/v1/sso/saml`;
  const parts: AnswerParts = {
    acs: `${base}/acs`,
    audience: `${base}/metadata`,
    issuer: idp.entityId,
    inResponseTo: request.id,
  };
  return { relayState: request.relayState, parts };
}

/**
 * Sends an artifact to Plinth as the browser does. Returns the parameters of the redirect, which may describe an error.
 */
async function bring(artifact: string, relayState: string) {
  const form = new URLSearchParams({ SAMLart: artifact, RelayState: relayState });
  const answer = await auth.request('/sso/saml/acs', {
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const location = new URL(answer.headers.get('location') ?? '');
  return Object.fromEntries([...location.searchParams, ...new URLSearchParams(location.hash.slice(1))]);
}

test('the binding is in Plinth’s metadata', async () => {
  const xml = await (await auth.request('/sso/saml/metadata')).text();
  expect(xml).toContain(
    `Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact" Location="${auth.url}/auth/v1/sso/saml/acs" index="2"`,
  );
});

test.each(['Assertion', 'Response'] as const)(
  'an artifact is resolved to a signed %s and signs the user in once',
  async (signed) => {
    const { relayState, parts } = await begin();
    response = signAnswer(idp, buildAnswer(parts), signed);
    // The SOAP envelope declares this namespace, so the response can omit it.
    if (signed === 'Assertion') response = response.replace(` xmlns:samlp="${protocol}"`, '');
    asked.length = 0;
    const artifact = artifactOf();
    expect(await bring(artifact, relayState)).toMatchObject({ access_token: expect.any(String) });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ url: resolver, method: 'POST', reach: 'public' });
    const question = asked[0]?.body ?? '';
    expect(question).toContain(`<samlp:Artifact>${artifact}</samlp:Artifact>`);
    // The signature of the request matches the key in Plinth's metadata.
    const metadata = await (await auth.request('/sso/saml/metadata')).text();
    const certificate = /<X509Certificate>([^<]+)/.exec(metadata)?.[1] ?? '';
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
    const [element] = xpath.selectElements(
      await parseDomFromString(question),
      "//*[local-name(.)='ArtifactResolve']",
    );
    expect(getVerifiedXml(question, element as Element, [pem])).toContain(artifact);
    expect((await bring(artifact, relayState)).error_code).toBe('saml_relay_state_not_found');
  },
);

test('the artifact selects the endpoint, otherwise the default is used', async () => {
  for (const [index, url] of [
    [0, `${resolver}/0`],
    [99, resolver],
  ] as const) {
    const { relayState, parts } = await begin();
    response = signAnswer(idp, buildAnswer(parts), 'Assertion');
    asked.length = 0;
    expect(await bring(artifactOf({ index }), relayState)).toHaveProperty('access_token');
    expect(asked.map((request) => request.url)).toEqual([url]);
  }
});

describe('a sign-in is rejected:', () => {
  const refusal = {
    error: 'invalid_request',
    error_code: 'validation_failed',
    error_description: 'SAML Assertion is not valid',
  };

  test.each([
    ['text', 'nonsense'],
    ['too short', Buffer.alloc(43, 4).toString('base64')],
    ['of another type', artifactOf({ type: 1 })],
    ['of another identity provider', artifactOf({ source: 'https://other.example' })],
  ])('an artifact that is %s doesn’t cause a request', async (_name, artifact) => {
    const { relayState } = await begin();
    asked.length = 0;
    expect(await bring(artifact, relayState)).toMatchObject(refusal);
    expect(asked).toEqual([]);
  });

  test.each<[string, Resolve]>([
    [
      'to another request',
      (question, xml) => ({ status: 200, text: envelope(question, xml, { answers: 'id-1' }) }),
    ],
    [
      'with an error status',
      (question, xml) => ({ status: 200, text: envelope(question, xml, { status: 'Requester' }) }),
    ],
    [
      'of another provider',
      (question, xml) => ({ status: 200, text: envelope(question, xml, { issuer: 'x' }) }),
    ],
    [
      'that has expired',
      (question, xml) => ({ status: 200, text: envelope(question, xml, { offsetMs: -400_000 }) }),
    ],
    ['with nothing in it', (question) => ({ status: 200, text: envelope(question, '') })],
    ['with two in it', (question, xml) => ({ status: 200, text: envelope(question, xml + xml) })],
    ['without an envelope', (_question, xml) => ({ status: 200, text: xml })],
    ['that isn’t XML', () => ({ status: 200, text: 'no XML' })],
    [
      'with a document type',
      (question, xml) => ({ status: 200, text: `<!DOCTYPE x>${envelope(question, xml)}` }),
    ],
    ['with a status of 500', (question, xml) => ({ status: 500, text: envelope(question, xml) })],
    [
      'without an issuer',
      () => {
        throw new Error('no route');
      },
    ],
  ])('a response to the resolution request %s', async (_name, how) => {
    const { relayState, parts } = await begin();
    response = signAnswer(idp, buildAnswer(parts), 'Assertion');
    resolve = how;
    try {
      expect(await bring(artifactOf(), relayState)).toMatchObject(refusal);
    } finally {
      resolve = honest;
    }
  });

  test.each<[string, (parts: AnswerParts) => string]>([
    ['that isn’t signed, although its envelope is', (parts) => buildAnswer(parts)],
    ['signed by another provider', (parts) => signAnswer(createIdp(), buildAnswer(parts), 'Assertion')],
    [
      'to another sign-in',
      (parts) => signAnswer(idp, buildAnswer({ ...parts, inResponseTo: 'id-2' }), 'Assertion'),
    ],
    [
      'without a request ID',
      (parts) => signAnswer(idp, buildAnswer({ ...parts, inResponseTo: undefined }), 'Assertion'),
    ],
    [
      'for another audience',
      (parts) => signAnswer(idp, buildAnswer({ ...parts, audience: 'x' }), 'Assertion'),
    ],
  ])('a response %s', async (_name, make) => {
    const { relayState, parts } = await begin();
    response = make(parts);
    expect(await bring(artifactOf(), relayState)).toMatchObject(refusal);
  });

  test('an address in the server’s own network isn’t contacted', async () => {
    const { relayState } = await begin();
    expect(await bring(artifactOf({ index: 8 }), relayState)).toMatchObject(refusal);
    expect(asked.at(-1)).toMatchObject({ url: 'http://127.0.0.1:1/', reach: 'public' });
  });
});
