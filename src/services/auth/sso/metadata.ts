/**
 * The metadata of SAML: this server's metadata, and the metadata of identity providers, which is fetched from URLs,
 * refreshed when it is stale, and inspected for administrators.
 */
import { X509Certificate } from 'node:crypto';
import { fromMs, toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { type SsoProvider, updateMetadata } from './queries.ts';
import { certificateOf } from './saml/certificate.ts';
import { type IdentityProvider, isStale, parseIdentityProvider } from './saml/metadata.ts';
import {
  type AdvertisedCertificate,
  type ServiceProvider,
  serviceProviderAt,
  serviceProviderMetadata,
} from './saml/service-provider.ts';

export function serviceProvider(ctx: AuthContext): ServiceProvider {
  return serviceProviderAt(ctx.settings.saml.external_url ?? ctx.settings.externalUrl());
}

/** During a key rotation, providers cache the metadata for a shorter time, so that they get the new key soon. */
const rotation = { maxAgeSeconds: 60, cacheDuration: 'PT1H' };
const metadataMaxAgeSeconds = 600;
const metadataLifetimeMs = 48 * 3_600_000;

export interface OwnMetadata {
  readonly xml: string;
  /** How long providers may cache the document. */
  readonly maxAgeSeconds: number;
}

/** Returns this server's metadata. A downloaded document is valid for five years. */
export async function ownMetadata(ctx: AuthContext, isDownload: boolean): Promise<OwnMetadata> {
  const provider = serviceProvider(ctx);
  const { current, next } = await ctx.keys.samlKeys();
  const mayEncrypt = ctx.settings.saml.allow_encrypted_assertions;
  const host = new URL(provider.entityId).hostname.replace(/^\[|\]$/g, '');
  const certificates = [current, ...(next ? [next] : [])].flatMap((key): AdvertisedCertificate[] => {
    const der = certificateOf(key, host, mayEncrypt);
    return mayEncrypt
      ? [
          { use: 'signing', der },
          { use: 'encryption', der },
        ]
      : [{ use: 'signing', der }];
  });
  const now = new Date(ctx.clock.now());
  if (isDownload) now.setUTCFullYear(now.getUTCFullYear() + 5);
  const xml = serviceProviderMetadata(provider, certificates, {
    validUntil: isDownload ? now.toISOString() : fromMs(now.getTime() + metadataLifetimeMs),
    ...(next ? { cacheDuration: rotation.cacheDuration } : {}),
  });
  return { xml, maxAgeSeconds: next ? rotation.maxAgeSeconds : metadataMaxAgeSeconds };
}

/** Fetches metadata. @throws {AuthError} saml_metadata_fetch_failed, including for non-public addresses */
export async function fetchMetadata(ctx: AuthContext, url: string): Promise<string> {
  const fetched = await ctx.outgoing
    .send({ url, reach: 'public', redirects: 3, headers: { accept: 'application/xml;charset=UTF-8' } })
    .catch((cause: unknown) => {
      throw authError('saml_metadata_fetch_failed', `Error fetching SAML Metadata from URL '${url}'`, {
        cause,
      });
    });
  if (fetched.status !== 200) {
    const message = `HTTP ${fetched.status} error fetching SAML Metadata from URL '${url}'`;
    throw authError('saml_metadata_fetch_failed', message);
  }
  return fetched.text;
}

/**
 * How long before the expiry of uploaded metadata a warning is logged. Metadata that was fetched from a URL is
 * refreshed instead.
 */
const remindAheadMs = 30 * 86_400_000;

/** Returns the provider's current metadata. If a refresh fails, logs a warning and returns the stored metadata. */
export async function currentMetadata(ctx: AuthContext, provider: SsoProvider): Promise<IdentityProvider> {
  const known = parseIdentityProvider(provider.metadata_xml);
  const now = ctx.clock.now();
  const fields = { service: 'auth', ssoProviderId: provider.id, entityId: provider.entity_id };
  if (provider.metadata_url === null) {
    if (known.validUntilMs !== undefined && known.validUntilMs - now <= remindAheadMs) {
      ctx.log.warn(
        fields,
        'the metadata of this SAML identity provider expires soon; update its metadata_xml',
      );
    }
    return known;
  }
  if (!isStale(known, provider.saml_updated_at === null ? 0 : toMs(provider.saml_updated_at), now))
    return known;
  try {
    const xml = await fetchMetadata(ctx, provider.metadata_url);
    const fresh = parseIdentityProvider(xml);
    if (fresh.entityId !== provider.entity_id) throw new Error(`the EntityID is now ${fresh.entityId}`);
    await (provider.saveMetadata?.(xml, now) ?? updateMetadata(ctx.pool, provider.id, xml, now));
    return fresh;
  } catch (error) {
    ctx.log.warn({ ...fields, error }, 'failed to refresh SAML metadata; using the previous metadata');
    return known;
  }
}

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

/**
 * Checks the metadata of an identity provider, either before or after the provider is added. Doesn't store anything.
 * @throws {AuthError} validation_failed, saml_metadata_fetch_failed
 */
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
