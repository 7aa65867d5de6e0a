/**
 * Simulates an identity provider for tests. The simulation builds responses from templates, so every part can be
 * forged.
 */
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  X509Certificate,
} from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { type EncryptOptions, encrypt } from 'xml-encryption';
import { certificateOf } from '../../src/services/auth/sso/saml/certificate.ts';
import type { AuthServer } from './harness.ts';

export interface TestIdp {
  readonly entityId: string;
  readonly privateKey: string;
  /** The certificate in DER format, encoded in base64. */
  readonly certificate: string;
  metadata(attributes?: string): string;
}

export function createIdp(entityId = `https://idp-${randomUUID()}.example.com/metadata`): TestIdp {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = certificateOf(privateKey as KeyObject, 'idp.example.com', false).toString('base64');
  return {
    entityId,
    certificate,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    metadata: (attributes = '') =>
      `<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"${attributes}>` +
      '<IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
      `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}` +
      '</X509Certificate></X509Data></KeyInfo></KeyDescriptor>' +
      '<NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>' +
      '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/post"/>' +
      '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/>' +
      '</IDPSSODescriptor></EntityDescriptor>',
  };
}

export interface AnswerParts {
  readonly acs: string;
  readonly audience: string;
  readonly issuer: string;
  readonly inResponseTo?: string | undefined;
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  readonly email?: string;
  /** Additional attributes as XML. */
  readonly attributes?: string;
  readonly destination?: string | undefined;
  readonly recipient?: string;
  readonly status?: string;
  readonly assertionIssuer?: string;
  /** Replaces the request ID in the response's subject. */
  readonly subjectInResponseTo?: string | undefined;
  readonly method?: string;
  readonly sessionEnd?: string;
  /** Shifts all times in the response. */
  readonly offsetMs?: number;
  readonly audienceXml?: string;
  readonly assertionId?: string;
}

const at = (ms: number) => new Date(ms).toISOString();

export function buildAnswer(parts: AnswerParts): string {
  const now = Date.now() + (parts.offsetMs ?? 0);
  const answers = (id: string | undefined) => (id === undefined ? '' : ` InResponseTo="${id}"`);
  const destination = 'destination' in parts ? parts.destination : parts.acs;
  const email = parts.email ?? 'ada@example.com';
  const subjectInResponseTo = 'subjectInResponseTo' in parts ? parts.subjectInResponseTo : parts.inResponseTo;
  const audience =
    parts.audienceXml ??
    `<saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction>`;
  return (
    '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ' +
    `ID="_r${randomUUID()}" Version="2.0" IssueInstant="${at(now)}"${destination === undefined ? '' : ` Destination="${destination}"`}${answers(parts.inResponseTo)}>` +
    `<saml:Issuer>${parts.issuer}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${parts.status ?? 'Success'}"/></samlp:Status>` +
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.assertionId ?? `_a${randomUUID()}`}" Version="2.0" IssueInstant="${at(now)}">` +
    `<saml:Issuer>${parts.assertionIssuer ?? parts.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${parts.nameIdFormat ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'}">${parts.nameId ?? 'ada-1'}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${parts.method ?? 'bearer'}">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(now + 60_000)}" Recipient="${parts.recipient ?? parts.acs}"${answers(subjectInResponseTo)}/>` +
    '</saml:SubjectConfirmation></saml:Subject>' +
    `<saml:Conditions NotBefore="${at(now - 5000)}" NotOnOrAfter="${at(now + 60_000)}">${audience}</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${at(now)}"${parts.sessionEnd === undefined ? '' : ` SessionNotOnOrAfter="${parts.sessionEnd}"`}>` +
    '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
    `<saml:AttributeStatement>${email === '' ? '' : attribute('mail', email)}${parts.attributes ?? ''}</saml:AttributeStatement>` +
    '</saml:Assertion></samlp:Response>'
  );
}

export const attribute = (name: string, ...values: string[]): string =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;

/** Signs the first element with this name. */
export function signAnswer(
  idp: Pick<TestIdp, 'privateKey'>,
  xml: string,
  name: 'Assertion' | 'Response',
  algorithm: 'sha1' | 'sha256' | 'sha512' = 'sha256',
): string {
  const path = `//*[local-name(.)='${name}']`;
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' } as const;
  return signXml(xml, path, location, {
    privateKey: idp.privateKey,
    signatureAlgorithm: algorithm,
    digestAlgorithm: algorithm,
  });
}

interface Encryption {
  readonly keyEncryptionAlgorithm?: EncryptOptions['keyEncryptionAlgorithm'];
}

/** Encrypts the assertion for the certificate's owner. */
export async function encryptAssertion(
  xml: string,
  certificate: string,
  { keyEncryptionAlgorithm = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' }: Encryption = {},
): Promise<string> {
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? '';
  const pem = new X509Certificate(Buffer.from(certificate, 'base64')).toString();
  const encrypted = await new Promise<string>((done, fail) => {
    const options = {
      rsa_pub: createPublicKey(pem).export({ type: 'spki', format: 'pem' }),
      pem,
      encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm' as const,
      keyEncryptionAlgorithm,
      disallowEncryptionWithInsecureAlgorithm: false,
      warnInsecureAlgorithm: false,
    };
    encrypt(assertion, options, (error: Error | null, text: string) => (error ? fail(error) : done(text)));
  });
  return xml.replace(assertion, () => `<saml:EncryptedAssertion>${encrypted}</saml:EncryptedAssertion>`);
}

/** Parses the request in the URL to which the browser is redirected. */
export function readRequest(url: string) {
  const query = new URL(url).searchParams;
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString();
  return {
    xml,
    id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '',
    relayState: query.get('RelayState') ?? '',
  };
}

/** Sends the response in a POST request, as the browser does, and returns the redirect. */
export async function postAnswer(
  auth: AuthServer,
  xml: string,
  relayState?: string,
): Promise<{
  status: number;
  location: URL;
  query: Record<string, string>;
  fragment: Record<string, string>;
}> {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') });
  if (relayState !== undefined) form.set('RelayState', relayState);
  const response = await auth.request('/sso/saml/acs', {
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const location = new URL(response.headers.get('location') ?? 'about:blank');
  return {
    status: response.status,
    location,
    query: Object.fromEntries(location.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
  };
}
