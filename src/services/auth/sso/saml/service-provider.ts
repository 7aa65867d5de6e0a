/**
 * Implements the service provider of SAML, which is this server: its identifiers, its metadata, and the requests that
 * start a sign-in.
 */
import { type KeyObject, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { escapeXml } from '../../../../base/shared/printable.ts';
import {
  assertionNamespace,
  bindings,
  metadataNamespace,
  nameIdFormats,
  protocol,
  signatureNamespace,
} from './xml.ts';

export interface ServiceProvider {
  /** The entity ID, which is also the URL of the metadata. */
  readonly entityId: string;
  readonly acsUrl: string;
}

/** Returns the service provider that this server represents. `externalUrl` is the auth service's URL. */
export function serviceProviderAt(externalUrl: string): ServiceProvider {
  const base = `${externalUrl.replace(/\/+$/, '')}/sso/saml`;
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
}

export interface AdvertisedCertificate {
  readonly use: 'signing' | 'encryption';
  readonly der: Buffer;
}

/** The supported ciphers for encrypted assertions. */
export const ciphers = {
  data: [
    'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
    'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  ],
  key: ['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p', 'http://www.w3.org/2009/xmlenc11#rsa-oaep'],
} as const;

export function serviceProviderMetadata(
  provider: ServiceProvider,
  certificates: readonly AdvertisedCertificate[],
  times: { readonly validUntil: string; readonly cacheDuration?: string },
): string {
  const cache = times.cacheDuration === undefined ? '' : ` cacheDuration="${times.cacheDuration}"`;
  const keys = certificates.map(({ use, der }) => {
    const methods = [...ciphers.data, ...ciphers.key].map(
      (name) => `<EncryptionMethod Algorithm="${name}"/>`,
    );
    return (
      `<KeyDescriptor use="${use}"><KeyInfo xmlns="${signatureNamespace}"><X509Data><X509Certificate>` +
      `${der.toString('base64')}</X509Certificate></X509Data></KeyInfo>` +
      `${use === 'encryption' ? methods.join('') : ''}</KeyDescriptor>`
    );
  });
  const formats = [nameIdFormats.email, nameIdFormats.persistent].map(
    (format) => `<NameIDFormat>${format}</NameIDFormat>`,
  );
  return (
    `<EntityDescriptor xmlns="${metadataNamespace}" validUntil="${times.validUntil}"${cache} ` +
    `entityID="${escapeXml(provider.entityId)}">` +
    `<SPSSODescriptor protocolSupportEnumeration="${protocol}" WantAssertionsSigned="true">${keys.join('')}${formats.join('')}` +
    `<AssertionConsumerService Binding="${bindings.post}" Location="${escapeXml(provider.acsUrl)}" index="1"/>` +
    `<AssertionConsumerService Binding="${bindings.artifact}" Location="${escapeXml(provider.acsUrl)}" index="2"/>` +
    '</SPSSODescriptor></EntityDescriptor>'
  );
}

export interface SignInRequest {
  /** The request's ID. An XML ID must not start with a digit. */
  readonly id: string;
  readonly issuedAt: string;
  /** The URL at which the identity provider accepts requests. */
  readonly destination: string;
  readonly nameIdFormat: string;
  readonly relayState: string;
}

/**
 * Returns the URL that starts a sign-in. The request uses the HTTP-Redirect binding (SAML 2.0 Bindings, section 3.4)
 * and is signed with RSA and SHA-256.
 */
export function signInUrl(provider: ServiceProvider, request: SignInRequest, key: KeyObject): string {
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${protocol}" xmlns:saml="${assertionNamespace}" ID="${request.id}" Version="2.0" ` +
    `IssueInstant="${request.issuedAt}" Destination="${escapeXml(request.destination)}" ` +
    `AssertionConsumerServiceURL="${escapeXml(provider.acsUrl)}" ProtocolBinding="${bindings.post}">` +
    `<saml:Issuer>${escapeXml(provider.entityId)}</saml:Issuer>` +
    `<samlp:NameIDPolicy AllowCreate="true" Format="${escapeXml(request.nameIdFormat)}"/></samlp:AuthnRequest>`;
  const signed = [
    ['SAMLRequest', deflateRawSync(xml).toString('base64')],
    ['RelayState', request.relayState],
    ['SigAlg', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'],
  ]
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&');
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64');
  const separator = request.destination.includes('?') ? '&' : '?';
  return `${request.destination}${separator}${signed}&Signature=${encodeURIComponent(signature)}`;
}
