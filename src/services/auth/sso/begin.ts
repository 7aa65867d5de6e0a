/** Starts single sign-on. */

import type { Fields } from '../common/fields.ts';
import { parseChallenge } from '../common/pkce.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { findProviderByDomain, findProviderById, type SsoProvider } from './queries.ts';
import { beginSamlSignIn } from './sign-in.ts';

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

async function findProvider(ctx: AuthContext, id: string, domain: string): Promise<SsoProvider> {
  const provider =
    id === '' ? await findProviderByDomain(ctx.pool, domain) : await findProviderById(ctx.pool, id);
  if (provider) return provider;
  throw authError('sso_provider_not_found', id === '' ? undefined : 'No such SSO provider');
}
