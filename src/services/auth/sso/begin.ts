/** Starts single sign-on: sends the browser to an identity provider. */
import { randomBytes } from 'node:crypto';
import type { Fields } from '../common/fields.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import { fromMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { serviceProvider } from './metadata.ts';
import { findProviderByDomain, findProviderById, insertSignIn, type SsoProvider } from './queries.ts';
import { parseIdentityProvider } from './saml/metadata.ts';
import { signInUrl } from './saml/service-provider.ts';
import { nameIdFormats } from './saml/xml.ts';

/** Returns the identity provider's URL for a domain or provider ID. @throws {AuthError} */
export async function beginSsoSignIn(ctx: AuthContext, body: Fields): Promise<string> {
  const id = body.text('provider_id');
  const domain = body.text('domain');
  if (id !== '' && !isUuid(id)) {
    throw authError('bad_json', "Could not parse request body as JSON: provider_id isn't a UUID");
  }
  if (id !== '' && domain !== '') {
    throw authError('validation_failed', 'Only one of provider_id or domain supported');
  }
  if (id === '' && domain === '') {
    throw authError('validation_failed', 'A provider_id or domain needs to be provided');
  }
  const provider = await findProvider(ctx, id, domain);
  if (provider.disabled) throw authError('sso_provider_disabled');
  const challenge = parseChallenge(body.text('code_challenge'), body.text('code_challenge_method'));
  return beginSamlSignIn(ctx, provider, { challenge, redirectTo: body.text('redirect_to') });
}

async function findProvider(ctx: AuthContext, id: string, domain: string): Promise<SsoProvider> {
  const provider =
    id === '' ? await findProviderByDomain(ctx.pool, domain) : await findProviderById(ctx.pool, id);
  if (provider) return provider;
  throw authError('sso_provider_not_found', id === '' ? undefined : 'No such SSO provider');
}

/** Starts a sign-in. Returns the identity provider's URL, to which the caller must redirect the browser. */
async function beginSamlSignIn(
  ctx: AuthContext,
  provider: SsoProvider,
  { challenge, redirectTo }: { readonly challenge: Challenge | undefined; readonly redirectTo: string },
): Promise<string> {
  const { signOnUrl = '' } = parseIdentityProvider(provider.metadata_xml);
  if (!/^https?:\/\//.test(signOnUrl)) throw internalError('Error creating SAML Authentication Request');
  const requestId = `id-${randomBytes(20).toString('hex')}`;
  const now = ctx.clock.now();
  const signIn = { providerId: provider.id, requestId, redirectTo, challenge };
  const relayState = await insertSignIn(ctx.pool, signIn, now);
  const request = {
    id: requestId,
    issuedAt: fromMs(now),
    destination: signOnUrl,
    nameIdFormat: provider.name_id_format ?? nameIdFormats.persistent,
    relayState,
  };
  const { current } = await ctx.keys.samlKeys();
  return signInUrl(serviceProvider(ctx), request, current);
}

/** The maximum number of domains in a connection's name. */
const maxNamedDomains = 3;

/**
 * Returns a connection's display name, which consists of the connection's domains or the identity provider's hostname.
 */
export async function nameOfConnection(ctx: AuthContext, id: string): Promise<string> {
  const provider = isUuid(id) ? await findProviderById(ctx.pool, id) : undefined;
  if (provider === undefined) throw authError('sso_provider_not_found');
  const { domains, entity_id: entityId } = provider;
  if (domains.length > 0) return domains.slice(0, maxNamedDomains).join(', ');
  return URL.canParse(entityId) ? new URL(entityId).host || entityId : entityId;
}
