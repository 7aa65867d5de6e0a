/** Creates clients for the project's custom providers. Requests to these providers can reach only public networks. */

import type { CustomProvider } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import type { AuthError } from '../errors.ts';
import { profileFromIdToken } from './catalog/id-token-profiles.ts';
import { callbackUrl, type OAuth2Client } from './clients.ts';
import { applyClaimRules, type ClaimRules } from './custom-claims.ts';
import { findCustomProvider } from './custom-queries.ts';
import type { IssuerLocation } from './oidc.ts';
import { readUserinfo } from './profiles.ts';

export const customPrefix = 'custom:';

/**
 * Returns the client for a custom provider.
 * @param scopes the scopes to request. If the list is empty, the scopes in the provider's settings are requested.
 * @throws {AuthError} `unsupported(reason)` if the provider doesn't exist, is disabled, or can't be reached
 */
export async function findCustom(
  ctx: AuthContext,
  identifier: string,
  scopes: string,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const row = await findCustomProvider(ctx.pool, identifier);
  if (!row) throw unsupported(`custom provider ${identifier} not found`);
  if (!row.enabled) throw unsupported(`custom provider ${identifier} is disabled`);
  const requestedScopes = scopes.split(/\s+/).filter((scope) => scope !== '');
  const common = {
    kind: 'oauth2',
    provider: identifier,
    emailOptional: row.email_optional,
    clientId: row.client_id,
    secret: row.client_secret,
    redirectUri: callbackUrl(ctx.settings.externalUrl()),
    params: textsOf(row.authorization_params),
    passesParams: true,
    pkce: row.pkce_enabled,
    clientAuth: 'basic',
    reach: 'public',
  } as const;
  const requested = requestedScopes.length === 0 ? row.scopes : requestedScopes;
  return row.provider_type === 'oidc'
    ? customOidc(ctx, row, { ...common, scopes: withOpenid(requested) }, unsupported)
    : customOAuth2(ctx, row, { ...common, scopes: requested });
}

const withOpenid = (scopes: readonly string[]): readonly string[] =>
  scopes.includes('openid') ? scopes : ['openid', ...scopes];

const textsOf = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

type CommonClient = Omit<OAuth2Client, 'authorizeUrl' | 'tokenUrl' | 'advertisedIssuer' | 'readProfile'>;

function customOAuth2(ctx: AuthContext, row: CustomProvider, common: CommonClient): OAuth2Client {
  return {
    ...common,
    authorizeUrl: row.authorization_url ?? '',
    tokenUrl: row.token_url ?? '',
    advertisedIssuer: undefined,
    readProfile: (token) => readUserinfo(ctx, row.userinfo_url ?? '', token, rulesOf(row)),
  };
}

async function customOidc(
  ctx: AuthContext,
  row: CustomProvider,
  common: CommonClient,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const location = issuerLocation(row);
  const discovery = await ctx.oidc.discover(location).catch((cause: unknown) => {
    ctx.log.warn({ provider: row.identifier, error: cause }, 'failed to fetch the discovery document');
    throw unsupported(`error creating OIDC provider: ${(cause as Error).message}`);
  });
  return {
    ...common,
    authorizeUrl: discovery.authorizationEndpoint,
    tokenUrl: discovery.tokenEndpoint,
    advertisedIssuer: discovery.namesItself ? discovery.issuer : undefined,
    async readProfile(token) {
      if (token.idToken === undefined) {
        if (discovery.userinfoEndpoint === '') throw new Error('no ID token or userinfo endpoint available');
        return readUserinfo(ctx, discovery.userinfoEndpoint, token, rulesOf(row));
      }
      const claims = await ctx.oidc.verify(token.idToken, {
        location,
        audience: [row.client_id, ...row.acceptable_client_ids],
        accessToken: undefined,
      });
      // Applies the claim rules only to the claims, so that the rules can't change the email addresses.
      const profile = profileFromIdToken(claims);
      return { ...profile, claims: applyClaimRules(profile.claims, claims, rulesOf(row)) };
    },
  };
}

export function issuerLocation(row: CustomProvider): IssuerLocation {
  return {
    issuer: row.issuer ?? '',
    reach: 'public',
    ...(row.discovery_url ? { discoveryUrl: row.discovery_url } : {}),
  };
}

const rulesOf = (row: CustomProvider): ClaimRules => ({
  attributeMapping: row.attribute_mapping,
  customClaims: row.custom_claims_allowlist,
});
