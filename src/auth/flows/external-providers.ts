/** Providers ready for use: those of config.toml, and those that the project added by itself (`custom:NAME`). */
import type { Reach } from '../../kernel/outgoing.ts';
import type { AuthContext } from '../context.ts';
import { applyClaimRules, type ClaimRules } from '../core/custom-claims.ts';
import type { ExternalProfile } from '../core/external-profile.ts';
import { isJsonObject } from '../core/json.ts';
import type { ClientAuth } from '../core/oauth-client.ts';
import {
  expectedAzureIssuer,
  isAzureCiamIssuer,
  isAzureIssuer,
  profileFromClaims,
  profileFromIdToken,
  standardClaims,
} from '../core/providers/id-token-profiles.ts';
import { textAt } from '../core/providers/read.ts';
import { endpointUrl, type ProviderSpec, type TokenAnswer } from '../core/providers/spec.ts';
import { findProviderSpec, isKnownProvider, oauth1Provider } from '../core/providers/table.ts';
import { issuers } from '../core/providers/work.ts';
import { type AuthError, authError } from '../errors.ts';
import { findCustomProvider } from '../queries/custom-providers.ts';
import type { CustomProvider } from '../rows.ts';
import type { ProviderSettings } from '../settings.ts';

/** Client of an OAuth 2.0 provider. */
export interface OAuth2Client {
  readonly kind: 'oauth2';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  readonly passesParams: boolean;
  readonly pkce: boolean;
  readonly clientAuth: ClientAuth;
  readonly reach: Reach;
  /** The `iss` that its answer to the browser bears (RFC 9207); undefined where it says that it bears none. */
  readonly answersAs: string | undefined;
  readProfile(token: TokenAnswer): Promise<ExternalProfile>;
}

/** Client of an OAuth 1.0a provider. */
export interface OAuth1Client {
  readonly kind: 'oauth1';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly redirectUri: string;
  /** Base of its addresses. */
  readonly url: string;
}

export type ExternalProvider = OAuth2Client | OAuth1Client;

export const customPrefix = 'custom:';

/**
 * @param scopes what the app asks for beside the defaults.
 * @throws {AuthError} `unsupported(reason)` when there is no such provider, or it is off or incomplete.
 */
export async function findProvider(
  ctx: AuthContext,
  name: string,
  scopes: string,
  unsupported: (reason: string) => AuthError,
): Promise<ExternalProvider> {
  if (name.startsWith(customPrefix)) return findCustom(ctx, name, scopes, unsupported);
  if (!isKnownProvider(name)) throw unsupported(`Provider ${name} could not be found`);
  const settings = ctx.settings.providers.get(name);
  if (!settings?.enabled) throw unsupported('provider is not enabled');
  if (settings.clientIds.length === 0) throw unsupported('missing OAuth client ID');
  if (settings.secret === '') throw unsupported('missing OAuth secret');
  const redirectUri = settings.redirectUri || callbackUrl(ctx.settings.issuer());
  const spec = findProviderSpec(name);
  if (spec === undefined) {
    return {
      kind: 'oauth1',
      provider: oauth1Provider,
      emailOptional: settings.emailOptional,
      consumerKey: settings.clientIds[0] ?? '',
      consumerSecret: settings.secret,
      redirectUri,
      url: settings.url === '' ? 'https://api.twitter.com' : settings.url.replace(/\/$/, ''),
    };
  }
  if (spec.needsUrl && settings.url === '') throw unsupported('unable to find URL for the Keycloak provider');
  return configuredClient(ctx, name, spec, settings, redirectUri, scopes);
}

const callbackUrl = (issuer: string): string => `${issuer.replace(/\/+$/, '')}/callback`;

function configuredClient(
  ctx: AuthContext,
  name: string,
  spec: ProviderSpec,
  settings: ProviderSettings,
  redirectUri: string,
  scopes: string,
): OAuth2Client {
  // Apple, Google and Keycloak are their own issuers; upstream leaves `url` of the first two without effect.
  const url = spec.profile.from === 'id-token' && ownsIssuer.has(name) ? '' : settings.url;
  const asked = spec.fixedScopes || scopes === '' ? [] : scopes.split(',');
  return {
    kind: 'oauth2',
    provider: name,
    emailOptional: settings.emailOptional,
    clientId: settings.clientIds[0] ?? '',
    secret: settings.secret,
    redirectUri,
    authorizeUrl: endpointUrl(spec.authorize, url),
    tokenUrl: endpointUrl(spec.token, url),
    scopes: [...spec.scopes, ...asked],
    params: spec.authorizeParams ?? {},
    passesParams: !spec.fixedParams,
    pkce: spec.pkce ?? false,
    clientAuth: spec.clientAuth ?? 'basic',
    reach: 'configured',
    answersAs: undefined,
    readProfile: (token) => readConfigured(ctx, spec, settings, url, token),
  };
}

const ownsIssuer = new Set(['apple', 'google']);

async function readConfigured(
  ctx: AuthContext,
  { profile }: ProviderSpec,
  settings: ProviderSettings,
  url: string,
  token: TokenAnswer,
): Promise<ExternalProfile> {
  const clientId = settings.clientIds[0] ?? '';
  switch (profile.from) {
    case 'token':
      return profile.read({ issuer: endpointUrl(profile.issuer, url), token });
    case 'api': {
      const headers = profile.headers?.(clientId);
      const query = profile.query?.({ accessToken: token.accessToken, secret: settings.secret }) ?? {};
      const answers: Record<string, unknown> = {};
      for (const [name, resource] of Object.entries(profile.resources)) {
        const address = withQuery(endpointUrl(resource, url), query);
        answers[name] = await readResource(ctx, address, token, 'configured', headers);
      }
      return profile.read(answers, { issuer: endpointUrl(profile.issuer, url), token });
    }
    case 'id-token': {
      if (token.idToken === undefined) {
        if (profile.required) throw new Error('no OIDC ID token present in response');
        return { emails: [], claims: { sub: '' } };
      }
      const issuer = profile.issuer ?? azureIssuerOf(token.idToken, url);
      const claims = await ctx.oidc.verify(token.idToken, {
        place: { issuer, reach: 'configured' },
        aliases: issuer === issuers.apple ? ['https://account.apple.com'] : [],
        audience: [clientId],
        accessToken: token.accessToken,
      });
      return profileFromIdToken(claims);
    }
  }
}

/**
 * The tenant that the token names. It is not believed yet: the token must be signed with that tenant's keys, and the
 * tenant must be Microsoft's, or below the configured address.
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

/** What an unchecked ID token says of its issuer; '' when it is none. */
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
  token: TokenAnswer,
  reach: Reach,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await ctx.outgoing.send({
    url,
    reach,
    headers: { ...headers, authorization: `Bearer ${token.accessToken}` },
  });
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`${new URL(url).origin} answered with status ${answer.status}`);
  }
  return JSON.parse(answer.text) as unknown;
}

async function findCustom(
  ctx: AuthContext,
  identifier: string,
  scopes: string,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const row = await findCustomProvider(ctx.pool, identifier);
  if (!row) throw unsupported(`custom provider ${identifier} not found`);
  if (!row.enabled) throw unsupported(`custom provider ${identifier} is disabled`);
  const asked = scopes.split(/\s+/).filter((scope) => scope !== '');
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
  const wanted = asked.length === 0 ? row.scopes : asked;
  return row.provider_type === 'oidc'
    ? customOidc(ctx, row, { ...common, scopes: withOpenid(wanted) }, unsupported)
    : customOAuth2(ctx, row, { ...common, scopes: wanted });
}

export const withOpenid = (scopes: readonly string[]): readonly string[] =>
  scopes.includes('openid') ? scopes : ['openid', ...scopes];

const textsOf = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

type CommonClient = Omit<OAuth2Client, 'authorizeUrl' | 'tokenUrl' | 'answersAs' | 'readProfile'>;

function customOAuth2(ctx: AuthContext, row: CustomProvider, common: CommonClient): OAuth2Client {
  return {
    ...common,
    authorizeUrl: row.authorization_url ?? '',
    tokenUrl: row.token_url ?? '',
    answersAs: undefined,
    readProfile: (token) => readUserinfo(ctx, row.userinfo_url ?? '', token, rulesOf(row)),
  };
}

async function customOidc(
  ctx: AuthContext,
  row: CustomProvider,
  common: CommonClient,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const place = placeOf(row);
  const discovery = await ctx.oidc.discover(place).catch((cause: unknown) => {
    ctx.log.warn({ provider: row.identifier, error: cause }, 'The discovery document cannot be had');
    throw unsupported(`error creating OIDC provider: ${(cause as Error).message}`);
  });
  return {
    ...common,
    authorizeUrl: discovery.authorizationEndpoint,
    tokenUrl: discovery.tokenEndpoint,
    answersAs: discovery.namesItself ? discovery.issuer : undefined,
    async readProfile(token) {
      if (token.idToken === undefined) {
        if (discovery.userinfoEndpoint === '') throw new Error('no ID token or userinfo endpoint available');
        return readUserinfo(ctx, discovery.userinfoEndpoint, token, rulesOf(row));
      }
      const claims = await ctx.oidc.verify(token.idToken, {
        place,
        audience: [row.client_id, ...row.acceptable_client_ids],
        accessToken: undefined,
      });
      return withRules(profileFromIdToken(claims), claims, rulesOf(row));
    },
  };
}

export function placeOf(row: CustomProvider): {
  issuer: string;
  reach: 'public';
  discoveryUrl?: string;
} {
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

/** The addresses stay those of the token, whatever is mapped. */
function withRules(
  profile: ExternalProfile,
  raw: Readonly<Record<string, unknown>>,
  rules: ClaimRules,
): ExternalProfile {
  return { emails: profile.emails, claims: applyClaimRules(profile.claims, raw, rules) };
}

async function readUserinfo(
  ctx: AuthContext,
  url: string,
  token: TokenAnswer,
  rules: ClaimRules,
): Promise<ExternalProfile> {
  const raw = await readResource(ctx, url, token, 'public');
  if (!isJsonObject(raw)) throw new Error('the userinfo endpoint answered with no object');
  return profileFromClaims(applyClaimRules(standardClaims(raw), raw, rules));
}

/** The error of `/authorize`. */
export function unsupportedProvider(reason: string): AuthError {
  return authError('validation_failed', `Unsupported provider: ${reason}`);
}
