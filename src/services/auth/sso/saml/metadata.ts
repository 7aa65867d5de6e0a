/** Parses an identity provider's metadata (SAML 2.0 Metadata). */

import { childOf, childrenOf, type XmlElement, XmlError } from '../../../../base/shared/xml.ts';
import { authError } from '../../errors.ts';
import { bindings, metadataNamespace, parseSamlXml, signatureNamespace } from './xml.ts';

export interface IdentityProvider {
  readonly entityId: string;
  /** The URL to which the browser is redirected with a SAML request. */
  readonly signOnUrl: string | undefined;
  /**
   * The provider's certificates in base64. A signature is valid if it can be verified with any of these certificates.
   */
  readonly certificates: readonly string[];
  /** The services that resolve artifacts. The first service is the default. */
  readonly artifactServices: readonly ArtifactService[];
  readonly validUntilMs: number | undefined;
  readonly cacheDurationMs: number | undefined;
}

export interface ArtifactService {
  readonly index: number;
  readonly url: string;
}

/** Parses metadata. @throws {AuthError} validation_failed */
export function parseIdentityProvider(xml: string): IdentityProvider {
  const entity = findEntity(readXml(xml));
  const entityId = entity?.attributes.get('entityID') ?? '';
  if (!entity || entityId === '') {
    throw authError('validation_failed', 'SAML Metadata does not contain an EntityID');
  }
  const roles = rolesOf(entity);
  const [role] = roles;
  if (role === undefined) {
    throw authError('validation_failed', 'SAML Metadata does not contain any IDPSSODescriptor');
  }
  if (roles.length > 1) {
    throw authError('validation_failed', 'SAML Metadata contains multiple IDPSSODescriptors');
  }
  const signOn = childrenOf(role, metadataNamespace, 'SingleSignOnService').find(
    (service) => service.attributes.get('Binding') === bindings.redirect,
  );
  return {
    entityId,
    signOnUrl: signOn?.attributes.get('Location'),
    certificates: childrenOf(role, metadataNamespace, 'KeyDescriptor')
      .filter((key) => (key.attributes.get('use') ?? 'signing') === 'signing')
      .flatMap(certificatesOf),
    artifactServices: artifactServicesOf(role),
    validUntilMs: timeOf(entity.attributes.get('validUntil')),
    cacheDurationMs: parseDuration(entity.attributes.get('cacheDuration') ?? ''),
  };
}

function artifactServicesOf(role: XmlElement): ArtifactService[] {
  const isDefault = ({ attributes }: XmlElement) => /^(true|1)$/.test(attributes.get('isDefault') ?? '');
  return childrenOf(role, metadataNamespace, 'ArtifactResolutionService')
    .filter((service) => service.attributes.get('Binding') === bindings.soap)
    .sort((one, other) => Number(isDefault(other)) - Number(isDefault(one)))
    .map(({ attributes }) => ({
      index: Number(attributes.get('index')),
      url: attributes.get('Location') ?? '',
    }));
}

function readXml(xml: string): XmlElement {
  try {
    return parseSamlXml(xml);
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    throw authError('validation_failed', `SAML Metadata is not valid XML: ${cause.message}`, { cause });
  }
}

const rolesOf = (entity: XmlElement) => childrenOf(entity, metadataNamespace, 'IDPSSODescriptor');

/** Returns the root element. If the root element is a list, returns the first identity provider in the list. */
function findEntity(root: XmlElement): XmlElement | undefined {
  if (root.namespace !== metadataNamespace) return undefined;
  if (root.name === 'EntityDescriptor') return root;
  if (root.name !== 'EntitiesDescriptor') return undefined;
  return childrenOf(root, metadataNamespace, 'EntityDescriptor').find((entity) => rolesOf(entity).length > 0);
}

function certificatesOf(key: XmlElement): string[] {
  const info = childOf(key, signatureNamespace, 'KeyInfo');
  const data = info ? childrenOf(info, signatureNamespace, 'X509Data') : [];
  return data
    .flatMap((each) => childrenOf(each, signatureNamespace, 'X509Certificate'))
    .map(({ text }) => text.replace(/\s/g, ''))
    .filter((text) => text !== '');
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

const dayMs = 86_400_000;

/**
 * Converts an XML Schema duration to milliseconds, with 30 days per month and 365 days per year. Returns undefined for
 * any other text.
 *
 * @example parseDuration('PT1H30M') // 5400000
 */
export function parseDuration(text: string): number | undefined {
  const parts =
    /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      text,
    );
  if (!parts) return undefined;
  const units = [365 * dayMs, 30 * dayMs, dayMs, 3_600_000, 60_000, 1000];
  return units.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
}

/**
 * Whether the metadata must be fetched again. By default, the metadata is fetched once a day. The metadata itself can
 * specify a different interval.
 */
export function isStale(
  { validUntilMs, cacheDurationMs }: Pick<IdentityProvider, 'validUntilMs' | 'cacheDurationMs'>,
  readAtMs: number,
  nowMs: number,
): boolean {
  if (validUntilMs !== undefined && nowMs > validUntilMs) return true;
  if (cacheDurationMs) return nowMs > readAtMs + cacheDurationMs;
  return validUntilMs === undefined && nowMs > readAtMs + dayMs;
}
