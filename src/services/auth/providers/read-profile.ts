/** Reads a user's profile from a provider's API, ID token or token response. */
import type { Reach } from '../../../base/shared/network/outgoing.ts';
import { isJsonObject } from '../common/json.ts';
import type { AuthContext } from '../context.ts';
import type { ProviderSettings } from '../settings.ts';
import {
  expectedAzureIssuer,
  isAzureCiamIssuer,
  isAzureIssuer,
  profileFromClaims,
  profileFromIdToken,
  standardClaims,
} from './catalog/id-token-profiles.ts';
import {
  type ApiSource,
  endpointUrl,
  type IdTokenSource,
  type ProviderSpec,
  type TokenResponse,
  textAt,
} from './catalog/spec.ts';
import { issuers } from './catalog/work.ts';
import { applyClaimRules, type ClaimRules } from './custom-claims.ts';
import type { ExternalProfile } from './profile.ts';

/** The sign-in of a user whose profile is read. */
interface Grant {
  readonly settings: ProviderSettings;
  /** The URL that replaces the provider's default URL, or an empty string. */
  readonly url: string;
  readonly token: TokenResponse;
}

/**
 * Reads a user's profile from a configured provider.
 * @throws {Error} if the provider doesn't respond, or if the response is invalid
 */
export async function readConfigured(
  ctx: AuthContext,
  { profile }: ProviderSpec,
  grant: Grant,
): Promise<ExternalProfile> {
  const { settings, url, token } = grant;
  switch (profile.from) {
    case 'token':
      return profile.read({ issuer: endpointUrl(profile.issuer, url), token });
    case 'api':
      return readApi(ctx, profile, grant);
    case 'id-token':
      return token.idToken === undefined
        ? readWithoutIdToken(ctx, profile.otherwise, grant)
        : readIdToken(ctx, profile.issuer ?? azureIssuerOf(token.idToken, url), {
            idToken: token.idToken,
            accessToken: token.accessToken,
            audience: settings.clientIds[0] ?? '',
          });
  }
}

async function readApi(
  ctx: AuthContext,
  source: ApiSource,
  { settings: { clientIds, secret }, url, token }: Grant,
): Promise<ExternalProfile> {
  const headers = source.headers?.(clientIds[0] ?? '');
  const query = source.query?.({ accessToken: token.accessToken, secret }) ?? {};
  const responses: Record<string, unknown> = {};
  for (const [name, resource] of Object.entries(source.resources)) {
    const address = withQuery(endpointUrl(resource, url), query);
    responses[name] = await readResource(ctx, address, token, { reach: 'configured', headers });
  }
  return source.read(responses, { issuer: endpointUrl(source.issuer, url), token });
}

async function readIdToken(
  ctx: AuthContext,
  issuer: string,
  {
    idToken,
    accessToken,
    audience,
  }: { readonly idToken: string; readonly accessToken: string; readonly audience: string },
): Promise<ExternalProfile> {
  const claims = await ctx.oidc.verify(idToken, {
    location: { issuer, reach: 'configured' },
    aliases: issuer === issuers.apple ? ['https://account.apple.com'] : [],
    audience: [audience],
    accessToken,
  });
  return profileFromIdToken(claims);
}

async function readWithoutIdToken(
  ctx: AuthContext,
  otherwise: IdTokenSource['otherwise'],
  grant: Grant,
): Promise<ExternalProfile> {
  if (otherwise === 'fail') throw new Error('no OIDC ID token present in response');
  if (otherwise === 'empty-profile') return { emails: [], claims: { sub: '' } };
  return readApi(ctx, otherwise, grant);
}

/**
 * Returns the issuer that the unverified token names. The caller must then verify the token with that issuer's keys.
 * The issuer must belong to Microsoft or have the same origin as the configured URL.
 */
function azureIssuerOf(idToken: string, url: string): string {
  const issuer = issuerOf(idToken);
  const expected = expectedAzureIssuer(url);
  if (expected !== undefined && issuer !== expected) {
    throw new Error(`azure: ID token issuer "${issuer}" does not match expected issuer "${expected}"`);
  }
  const isOfConfigured = url !== '' && URL.canParse(issuer) && new URL(issuer).origin === new URL(url).origin;
  const isExpectedCiam = expected !== undefined && isAzureCiamIssuer(issuer);
  if (isAzureIssuer(issuer) || isExpectedCiam || isOfConfigured) return issuer;
  throw new Error(`azure: ID token issuer not valid "${issuer}"`);
}

/** Returns the issuer that an unverified ID token names, or an empty string if the text isn't an ID token. */
export function issuerOf(idToken: string): string {
  try {
    const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
    return textAt(JSON.parse(payload), 'iss');
  } catch {
    return '';
  }
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

async function readResource(
  ctx: AuthContext,
  url: string,
  { accessToken }: TokenResponse,
  { reach, headers = {} }: { readonly reach: Reach; readonly headers?: Readonly<Record<string, string>> },
): Promise<unknown> {
  const response = await ctx.outgoing.send({
    url,
    reach,
    headers: { ...headers, authorization: `Bearer ${accessToken}` },
  });
  if (response.status < 200 || response.status > 299) {
    throw new Error(`${new URL(url).origin} returned status ${response.status}`);
  }
  return JSON.parse(response.text) as unknown;
}

/**
 * Reads a user's profile from the provider's UserInfo endpoint.
 * @throws {Error} under the same conditions as {@link readConfigured}
 */
export async function readUserinfo(
  ctx: AuthContext,
  url: string,
  token: TokenResponse,
  rules: ClaimRules,
): Promise<ExternalProfile> {
  const raw = await readResource(ctx, url, token, { reach: 'public' });
  if (!isJsonObject(raw)) throw new Error("the userinfo endpoint didn't return an object");
  return profileFromClaims(applyClaimRules(standardClaims(raw), raw, rules));
}
