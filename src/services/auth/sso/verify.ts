/**
 * Verifies the signatures of a SAML response. Uses node-saml for XML signatures and encryption, but not for protocol
 * checks (see docs/decisions/0013-saml.md). The returned assertion is parsed from exactly the bytes that the signature
 * covers, never from other parts of the received document.
 */
import type { KeyObject } from 'node:crypto';
import { childrenOf, type XmlElement } from '../../../base/shared/xml.ts';
import { ciphers } from './saml/service-provider.ts';
import { assertionNamespace, parseSamlXml, protocol, SamlFault, signatureNamespace } from './saml/xml.ts';

/**
 * The accepted signature algorithms. SHA-1 is excluded because it is weak. HMAC is excluded because the secret would be
 * the provider's public certificate.
 */
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];

export interface VerifiedResponse {
  readonly response: XmlElement;
  /** Whether the response itself is signed in addition to the assertion that it contains. */
  readonly isSigned: boolean;
  readonly assertion: XmlElement;
}

export interface TrustedKeys {
  /** The identity provider's certificates in base64. A signature is valid if it matches any of these certificates. */
  readonly certificates: readonly string[];
  /** This server's keys for encrypted assertions. If empty, encrypted assertions are rejected. */
  readonly decryption: readonly KeyObject[];
}

type SignedXml = typeof import('@node-saml/node-saml/lib/xml.js');
type Dom = Awaited<ReturnType<SignedXml['parseDomFromString']>>;

/** Verifies a response and returns the signed assertion. @throws {SamlFault} */
export async function verifyResponse(source: string, keys: TrustedKeys): Promise<VerifiedResponse> {
  try {
    return await verify(source.replace(/\r\n?/g, '\n'), keys);
  } catch (cause) {
    throw cause instanceof SamlFault
      ? cause
      : new SamlFault(`the response can't be parsed: ${(cause as Error).message}`, { cause });
  }
}

async function verify(xml: string, { certificates, decryption }: TrustedKeys): Promise<VerifiedResponse> {
  const root = parseSamlXml(xml);
  if (root.name !== 'Response' || root.namespace !== protocol)
    throw new SamlFault("the document isn't a SAML response");
  const lib = await import('@node-saml/node-saml/lib/xml.js');
  const pems = certificates.map(
    (text) =>
      `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}/g, '$&\n').trim()}\n-----END CERTIFICATE-----\n`,
  );
  const signed = await verifySigned(lib, xml, 'Response', pems);
  const response = signed === undefined ? root : parseSamlXml(signed);
  const plain = childrenOf(response, assertionNamespace, 'Assertion');
  const encrypted = childrenOf(response, assertionNamespace, 'EncryptedAssertion');
  if (plain.length + encrypted.length !== 1)
    throw new SamlFault("the response doesn't contain exactly one assertion");
  const isSigned = signed !== undefined;

  if (encrypted.length === 1) {
    const decrypted = await decrypt(lib, signed ?? xml, decryption);
    const inner = isSigned ? decrypted : await verifySigned(lib, decrypted, 'Assertion', pems);
    return { response, isSigned, assertion: requireAssertion(inner) };
  }
  if (isSigned) return { response, isSigned, assertion: requireAssertion(plain[0]) };
  return { response, isSigned, assertion: requireAssertion(await verifySigned(lib, xml, 'Assertion', pems)) };
}

function requireAssertion(found: string | XmlElement | undefined): XmlElement {
  const assertion = typeof found === 'string' ? parseSamlXml(found) : found;
  if (assertion?.name !== 'Assertion' || assertion.namespace !== assertionNamespace) {
    throw new SamlFault("the assertion isn't signed");
  }
  return assertion;
}

/**
 * Returns the bytes that are covered by the signature of the only element with this name. Returns undefined if the
 * element isn't signed.
 * @throws {SamlFault} if the signature is invalid or too weak, or if several elements have this name
 */
async function verifySigned(
  lib: SignedXml,
  xml: string,
  name: 'Response' | 'Assertion',
  pems: string[],
): Promise<string | undefined> {
  const dom = await lib.parseDomFromString(xml);
  requireMethods(lib, dom, "//*[local-name()='SignatureMethod']/@Algorithm", signatureMethods);
  requireMethods(
    lib,
    dom,
    "//*[local-name()='Reference']/*[local-name()='DigestMethod']/@Algorithm",
    digestMethods,
  );
  const [element, ...others] = lib.xpath.selectElements(dom, `//*[local-name()='${name}']`);
  if (!element || others.length > 0)
    throw new SamlFault(`the document must contain exactly one ${name} element`);
  const signature = `./*[local-name()='Signature' and namespace-uri()='${signatureNamespace}']`;
  if (lib.xpath.selectElements(element, signature).length === 0) return undefined;
  const verified = lib.getVerifiedXml(xml, element, pems);
  if (verified === null) throw new SamlFault(`the signature of the ${name} is invalid`);
  return verified;
}

function requireMethods(lib: SignedXml, dom: Dom, path: string, allowed: readonly string[]): void {
  for (const { value } of lib.xpath.selectAttributes(dom, path)) {
    if (!allowed.includes(value)) throw new SamlFault(`${value} is not accepted`);
  }
}

/** Decrypts an assertion. Tries all keys, because the provider may still use the previous key during a key rotation. */
async function decrypt(lib: SignedXml, xml: string, keys: readonly KeyObject[]): Promise<string> {
  const dom = await lib.parseDomFromString(xml);
  requireMethods(lib, dom, "//*[local-name()='EncryptionMethod']/@Algorithm", [
    ...ciphers.data,
    ...ciphers.key,
  ]);
  const [element] = lib.xpath.selectElements(dom, "/*/*[local-name()='EncryptedAssertion']");
  let fault: unknown = new SamlFault("encrypted assertions aren't accepted");
  for (const key of keys) {
    try {
      return await lib.decryptXml(String(element), key.export({ type: 'pkcs8', format: 'pem' }));
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
