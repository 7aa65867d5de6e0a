/** The names in SAML 2.0 messages and metadata, and the parser of their XML. */
import { parseXml, type XmlElement, type XmlRules } from '../../../../base/shared/xml.ts';

export const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const assertionNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';

export const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/';
export const statusSuccess = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  artifact: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact',
  soap: 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP',
} as const;

export const nameIdFormats = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
} as const;

/**
 * The error that rejects a response from an identity provider. The error message is logged, but not sent to the
 * browser.
 */
export class SamlFault extends Error {
  override name = 'SamlFault';
}

const samlRules: XmlRules = {
  maxDepth: 64,
  maxElements: 20_000,
  maxAttributes: 200,
  namespaces: true,
  rejected: ['processinginstruction'],
};

/** Returns the document's root element. @throws {XmlError} */
export const parseSamlXml = (source: string): XmlElement => parseXml(source, samlRules);
