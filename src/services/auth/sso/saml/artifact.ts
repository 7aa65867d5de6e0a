/**
 * Implements the SAML artifact binding (SAML 2.0 Bindings, section 3.6; Core, section 3.5). The browser delivers only a
 * reference (the artifact), and this server then fetches the response from the identity provider.
 */
import { createHash } from 'node:crypto';
import { escapeXml } from '../../../../base/shared/printable.ts';
import { childOf, childrenOf, type XmlElement } from '../../../../base/shared/xml.ts';
import { checkIssueInstant } from './check-response.ts';
import type { IdentityProvider } from './metadata.ts';
import type { ServiceProvider } from './service-provider.ts';
import {
  assertionNamespace,
  parseSamlXml,
  protocol,
  SamlFault,
  soapNamespace,
  statusSuccess,
} from './xml.ts';

/**
 * An artifact consists of the type code 4 (2 bytes), the endpoint index (2 bytes), the source ID (20 bytes) and the
 * message handle (20 bytes).
 */
const artifactBytes = 44;
const artifactType = 4;

/**
 * Returns the URL of the service that resolves the artifact.
 * @throws {SamlFault} if the text isn't an artifact, or if the artifact belongs to another identity provider
 */
export function artifactAddress(artifact: string, provider: IdentityProvider): string {
  const bytes = Buffer.from(artifact, 'base64');
  const isArtifact = bytes.length === artifactBytes && bytes.toString('base64') === artifact;
  if (!isArtifact || bytes.readUInt16BE(0) !== artifactType)
    throw new SamlFault("the value isn't an artifact");
  const source = createHash('sha1').update(provider.entityId).digest();
  if (!bytes.subarray(4, 24).equals(source)) throw new SamlFault('the artifact belongs to another provider');
  const index = bytes.readUInt16BE(2);
  const services = provider.artifactServices;
  const service = services.find((each) => each.index === index) ?? services[0];
  if (service === undefined) throw new SamlFault("the identity provider doesn't support artifacts");
  return service.url;
}

export interface ArtifactQuestion {
  /** The request's ID. An XML ID must not start with a digit. */
  readonly id: string;
  readonly issuedAt: string;
  readonly destination: string;
  readonly artifact: string;
}

/** Builds the request that resolves an artifact. The request must be signed and sent in a {@link soapEnvelope}. */
export function artifactResolve(provider: ServiceProvider, question: ArtifactQuestion): string {
  return (
    `<samlp:ArtifactResolve xmlns:samlp="${protocol}" xmlns:saml="${assertionNamespace}" ID="${question.id}" Version="2.0" ` +
    `IssueInstant="${question.issuedAt}" Destination="${escapeXml(question.destination)}">` +
    `<saml:Issuer>${escapeXml(provider.entityId)}</saml:Issuer>` +
    `<samlp:Artifact>${escapeXml(question.artifact)}</samlp:Artifact></samlp:ArtifactResolve>`
  );
}

export const soapEnvelope = (body: string): string =>
  `<soap:Envelope xmlns:soap="${soapNamespace}"><soap:Body>${body}</soap:Body></soap:Envelope>`;

/**
 * Checks that the identity provider's response belongs to the request and contains exactly one SAML response. The
 * caller must verify the SAML response as if a browser had delivered it.
 * @throws {SamlFault}
 */
export function checkArtifactResponse(
  envelope: string,
  { id, entityId }: { readonly id: string; readonly entityId: string },
  nowMs: number,
): void {
  const response = artifactResponseOf(parseSamlXml(envelope));
  const inResponseTo = response.attributes.get('InResponseTo');
  if (inResponseTo !== id)
    throw new SamlFault(`the artifact response is for ${inResponseTo ?? 'no request'}`);
  checkIssueInstant(response, nowMs);
  const issuer = childOf(response, assertionNamespace, 'Issuer');
  if (issuer && issuer.text.trim() !== entityId) throw new SamlFault(`${issuer.text} answered`);
  const status = childOf(response, protocol, 'Status');
  const code = status && childOf(status, protocol, 'StatusCode')?.attributes.get('Value');
  if (code !== statusSuccess) throw new SamlFault(`the status of the artifact response is ${code}`);
  if (childrenOf(response, protocol, 'Response').length !== 1)
    throw new SamlFault("the artifact doesn't refer to a response");
}

function artifactResponseOf(root: XmlElement): XmlElement {
  const isEnvelope = root.name === 'Envelope' && root.namespace === soapNamespace;
  const body = isEnvelope ? childOf(root, soapNamespace, 'Body') : undefined;
  const response = body && childOf(body, protocol, 'ArtifactResponse');
  if (response === undefined) throw new SamlFault("the response isn't an ArtifactResponse");
  return response;
}
