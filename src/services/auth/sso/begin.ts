/** Starts single sign-on: sends the browser to an identity provider. */
import { randomBytes } from 'node:crypto';
import type { Fields } from '../common/fields.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import { chooseRedirect } from '../common/redirects.ts';
import { fromMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import type { Connection } from '../organizations/connections/types.ts';
import { listDomains } from '../organizations/domains/queries.ts';
import { beginSignIn } from '../providers/authorize.ts';
import { oidcMethod } from './enforced.ts';
import { serviceProvider } from './metadata.ts';
import { findDomain, findProviderById, insertSignIn, type SsoProvider } from './queries.ts';
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
  const challenge = parseChallenge(body.text('code_challenge'), body.text('code_challenge_method'));
  const start = { challenge, redirectTo: body.text('redirect_to') };
  if (!('entity_id' in provider)) return beginOidcSignIn(ctx, provider, start);
  if (provider.disabled) throw authError('sso_provider_disabled');
  return beginSamlSignIn(ctx, provider, start);
}

interface Start {
  readonly challenge: Challenge | undefined;
  readonly redirectTo: string;
}

/** Returns a SAML provider, or the connection of an organization that uses OpenID Connect. */
async function findProvider(ctx: AuthContext, id: string, domain: string): Promise<SsoProvider | Connection> {
  const found = id === '' ? await findDomain(ctx, ctx.pool, domain) : undefined;
  const wantedId = id === '' ? found?.providerId : id;
  const isOfProject = found === undefined || found.organizationId === undefined;
  const provider =
    wantedId !== undefined && ctx.settings.saml.enabled && isOfProject
      ? await findProviderById(ctx.pool, wantedId)
      : undefined;
  const own = provider ?? (wantedId === undefined ? undefined : await findOfOrganization(ctx, wantedId));
  if (own) return own;
  throw authError('sso_provider_not_found', id === '' ? undefined : 'No such SSO provider');
}

async function findOfOrganization(
  ctx: AuthContext,
  id: string,
): Promise<SsoProvider | Connection | undefined> {
  const { findActive, samlProvider } = await import('../organizations/connections/sign-in.ts');
  const found = await findActive(ctx, id);
  return found?.settings?.kind === 'saml' ? samlProvider(ctx, id, found.settings, found) : found;
}

/** Starts a sign-in at an OpenID provider. Returns the URL to which the caller must redirect the browser. */
async function beginOidcSignIn(
  ctx: AuthContext,
  connection: Connection,
  { challenge, redirectTo }: Start,
): Promise<string> {
  const { clientOfFlow } = await import('../organizations/connections/sign-in.ts');
  const { redirects, accountUrl } = ctx.settings;
  return beginSignIn(ctx, {
    client: await clientOfFlow(ctx, `sso:${connection.id}`),
    challenge,
    inviteToken: undefined,
    redirectTo: chooseRedirect(redirects, [redirectTo], accountUrl()),
    linkingTarget: undefined,
    params: {},
    method: oidcMethod,
  });
}

/** Starts a sign-in. Returns the identity provider's URL, to which the caller must redirect the browser. */
async function beginSamlSignIn(
  ctx: AuthContext,
  provider: SsoProvider,
  { challenge, redirectTo }: Start,
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
  if (provider !== undefined && ctx.settings.saml.enabled) {
    const { domains, entity_id: entityId } = provider;
    if (domains.length > 0) return domains.slice(0, maxNamedDomains).join(', ');
    return URL.canParse(entityId) ? new URL(entityId).host || entityId : entityId;
  }
  const { findActive, nameOf } = await import('../organizations/connections/sign-in.ts');
  const own = await findActive(ctx, id);
  if (own?.settings == null) throw authError('sso_provider_not_found');
  const domains = (await listDomains(ctx.pool, own.organizationId)).filter((row) => row.verified_at !== null);
  const names = domains.slice(0, maxNamedDomains).map((row) => row.domain);
  return names.length > 0 ? names.join(', ') : nameOf(own.settings);
}
