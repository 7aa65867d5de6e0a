/**
 * Checks the metadata of an identity provider, either before or after the provider is added. Doesn't store anything.
 */
import { X509Certificate } from 'node:crypto';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { fetchMetadata } from './refresh-metadata.ts';
import { parseIdentityProvider } from './saml/metadata.ts';

/** The parts of a metadata document on which sign-ins depend. */
export interface SamlInspection {
  readonly entityId: string;
  /**
   * The URL is null if the provider doesn't accept requests that are sent with the HTTP-Redirect binding. Sign-ins then
   * fail.
   */
  readonly signOnUrl: string | null;
  readonly certificates: readonly SamlCertificate[];
  /** The time in ISO 8601 format. The time is null if the document doesn't expire. */
  readonly validUntil: string | null;
}

export interface SamlCertificate {
  /**
   * The certificate's subject, or null if the certificate isn't a valid X.509 certificate. In this case, the following
   * fields are empty.
   */
  readonly subject: string | null;
  /** The SHA-256 fingerprint in the format that identity providers display. */
  readonly fingerprint: string;
  readonly expiresAt: string;
}

/** Inspects metadata. @throws {AuthError} validation_failed, saml_metadata_fetch_failed */
export async function inspectSaml(
  ctx: AuthContext,
  source: { readonly url: string } | { readonly xml: string },
): Promise<SamlInspection> {
  if ('url' in source && !(URL.canParse(source.url) && new URL(source.url).protocol === 'https:'))
    throw authError('validation_failed', 'metadata_url is not a HTTPS URL');
  const xml = 'url' in source ? await fetchMetadata(ctx, source.url) : source.xml;
  const { entityId, signOnUrl = null, certificates, validUntilMs } = parseIdentityProvider(xml);
  return {
    entityId,
    signOnUrl,
    certificates: certificates.map(describe),
    validUntil: validUntilMs === undefined ? null : new Date(validUntilMs).toISOString(),
  };
}

function describe(base64: string): SamlCertificate {
  try {
    const { subject, fingerprint256, validToDate } = new X509Certificate(Buffer.from(base64, 'base64'));
    return { subject, fingerprint: fingerprint256, expiresAt: validToDate.toISOString() };
  } catch {
    return { subject: null, fingerprint: '', expiresAt: '' };
  }
}
