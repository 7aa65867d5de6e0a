/** Fetches the metadata of identity providers and refreshes stale metadata. */

import { toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { type SsoProvider, updateMetadata } from './queries.ts';
import { type IdentityProvider, isStale, parseIdentityProvider } from './saml/metadata.ts';

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
    await updateMetadata(ctx.pool, provider.id, xml, now);
    return fresh;
  } catch (error) {
    ctx.log.warn({ ...fields, error }, 'failed to refresh SAML metadata; using the previous metadata');
    return known;
  }
}
