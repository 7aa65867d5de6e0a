/** Signs users in with an ID token that the app obtained from the provider, as native apps do. */

import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { requireUsedFactor } from '../account/own-account.ts';
import { audienceOf, type Caller, type UserCaller } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import { limitLinks } from '../common/limit-changes.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import { sameSecret } from '../common/secrets.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { runAfterUserCreated } from '../sign-up/accounts.ts';
import { identityProof, requireIdentifying, runBeforeExternalUser, signInExternally } from './accounts.ts';
import {
  type IdTokenClaims,
  isAppleIssuer,
  isAzureIssuer,
  profileFromIdToken,
} from './catalog/id-token-profiles.ts';
import { snapchatIssuer } from './catalog/social.ts';
import { issuers } from './catalog/work.ts';
import { customPrefix, issuerLocation } from './find.ts';
import { linkIdentity } from './links.ts';
import { IdTokenError, type IssuerLocation, isToken } from './oidc.ts';
import { findCustomProvider } from './queries.ts';
import { issuerOf } from './read-profile.ts';

interface IdTokenRequest {
  readonly idToken: string;
  readonly accessToken: string;
  readonly nonce: string;
  readonly provider: string;
  readonly issuer: string;
}

/** An issuer whose ID tokens are accepted, and the audiences that these tokens may have. */
interface TrustedIssuer {
  readonly provider: string;
  readonly location: IssuerLocation;
  readonly audience: readonly string[];
  readonly skipNonceCheck: boolean;
  readonly emailOptional: boolean;
}

/**
 * Signs a user in with an ID token.
 * @throws {AuthError} validation_failed, provider_disabled
 * @throws {OAuthShapedError} if the token is invalid
 */
export async function signInWithIdToken(
  ctx: AuthContext,
  caller: Caller,
  body: Fields,
): Promise<IssuedSession> {
  const request: IdTokenRequest = {
    idToken: body.text('id_token'),
    accessToken: body.text('access_token'),
    nonce: body.text('nonce'),
    provider: body.text('provider'),
    issuer: body.text('issuer'),
  };
  const linksIdentity = body.flag('link_identity');
  if (request.idToken === '') throw invalid('id_token required');
  if (request.provider === '' && (body.text('client_id') === '' || request.issuer === '')) {
    throw invalid('provider or client_id and issuer required');
  }
  const target = linksIdentity ? await requireTarget(ctx, caller) : undefined;
  const trusted = await findIssuer(ctx, request);
  const claims = await verify(ctx, trusted, request);
  if (!trusted.skipNonceCheck) checkNonce(claims, request.nonce);

  const profile = profileFromIdToken(claims);
  requireIdentifying(profile);
  const { provider, emailOptional } = trusted;
  const signIn = { provider, profile, emailOptional, aud: audienceOf(ctx, caller) };
  if (!target) await runBeforeExternalUser(ctx, caller, signIn);
  const signInOrLink = async (tx: Transaction) => {
    const outcome = target
      ? await linkIdentity(ctx, tx, caller, { target: target.user, ...signIn })
      : await signInExternally(ctx, tx, caller, signIn);
    if (outcome.kind === 'refusal') return outcome;
    return {
      kind: 'session' as const,
      isNew: outcome.isNew,
      session: await issueSession(ctx, tx, caller, {
        user: outcome.user,
        method: 'oauth',
        proof: identityProof(signIn),
      }),
    };
  };
  const result = await retryOnConflict(() =>
    target ? asUser(ctx, target, signInOrLink) : ctx.pool.transaction(signInOrLink),
  );
  if (result.kind === 'refusal') throw result.error;
  if (result.isNew) await runAfterUserCreated(ctx, caller, result.session.user);
  return result.session;
}

const invalid = (description: string, cause?: unknown) =>
  new OAuthShapedError('invalid request', description, { cause });

/** Returns the user to whom the identity will be linked. @throws {AuthError} over_request_rate_limit */
async function requireTarget(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  if (!caller.hasCredentials) {
    throw invalid('Linking requires a valid user access token in Authorization');
  }
  const user = await requireUser(ctx, caller);
  requireUsedFactor(user);
  await limitLinks(ctx, user);
  return user;
}

const fixedIssuers: readonly (readonly [provider: string, issuer: string])[] = [
  ['google', issuers.google],
  ['facebook', issuers.facebook],
  ['kakao', issuers.kakao],
  ['vercel_marketplace', issuers.vercelMarketplace],
  ['snapchat', snapchatIssuer],
];

/**
 * Finds the issuer that must have issued the token in the request.
 * @throws {AuthError} validation_failed, provider_disabled
 */
async function findIssuer(ctx: AuthContext, request: IdTokenRequest): Promise<TrustedIssuer> {
  const { provider, issuer } = request;
  if (provider === 'apple' || isAppleIssuer(issuer)) {
    return configured(ctx, 'apple', detected(request, 'Apple', isAppleIssuer));
  }
  if (provider === 'azure' || isAzureIssuer(issuer)) {
    return configured(ctx, 'azure', detected(request, 'Azure', isMicrosoftIssuer));
  }
  const fixed = fixedIssuers.find(([name, known]) => name === provider || known === issuer);
  if (fixed) return configured(ctx, ...fixed);
  const keycloak = ctx.settings.providers.get('keycloak');
  // Keycloak's realm URLs don't end with a slash.
  const realm = keycloak?.url.replace(/\/$/, '') ?? '';
  const isKeycloakIssuer = keycloak?.enabled && realm !== '' && issuer === realm;
  if (provider === 'keycloak' || isKeycloakIssuer) return configured(ctx, 'keycloak', realm);
  if (provider.startsWith(customPrefix)) return findCustomIssuer(ctx, provider);
  throw authError('validation_failed', `Custom OIDC provider "${provider}" not allowed`);
}

/**
 * Whether the issuer belongs to Microsoft. Returns true for the issuers of version 1 tokens too, because upstream also
 * accepts them.
 */
function isMicrosoftIssuer(issuer: string): boolean {
  return isAzureIssuer(issuer) || /^https:\/\/sts\.windows\.net\/[^/]+\/?$/.test(issuer);
}

/** Returns the provider that matches the issuer in the unverified token. The caller verifies the token later. */
function detected(
  { idToken, issuer }: IdTokenRequest,
  name: 'Apple' | 'Azure',
  isKnown: (issuer: string) => boolean,
): string {
  const found = issuerOf(idToken);
  if (found === '') {
    throw authError('validation_failed', `Unable to detect issuer in ID token for ${name} provider`);
  }
  if (!isKnown(found)) {
    throw authError('validation_failed', `Detected ID token issuer is not an ${name} ID token issuer`);
  }
  if (issuer !== '' && issuer !== found) {
    throw authError('validation_failed', 'Provided issuer does not match ID token issuer');
  }
  return found;
}

function configured(ctx: AuthContext, provider: string, issuer: string): TrustedIssuer {
  const settings = ctx.settings.providers.get(provider);
  if (!settings?.enabled)
    throw authError('provider_disabled', `Provider (issuer "${issuer}") is not enabled`);
  return {
    provider,
    location: { issuer, reach: 'configured' },
    audience: settings.clientIds,
    // Facebook's Limited Login doesn't hash the nonce.
    skipNonceCheck: settings.skipNonceCheck || provider === 'facebook',
    emailOptional: settings.emailOptional,
  };
}

async function findCustomIssuer(ctx: AuthContext, identifier: string): Promise<TrustedIssuer> {
  const row = await findCustomProvider(ctx.pool, identifier);
  if (!row) throw authError('validation_failed', `Custom provider "${identifier}" not found`);
  if (!row.enabled) throw authError('provider_disabled', `Custom provider "${identifier}" is disabled`);
  if (row.provider_type !== 'oidc') {
    throw authError('validation_failed', `Provider "${identifier}" is not an OIDC provider`);
  }
  return {
    provider: identifier,
    location: issuerLocation(row),
    audience: [row.client_id, ...row.acceptable_client_ids],
    skipNonceCheck: row.skip_nonce_check,
    emailOptional: row.email_optional,
  };
}

async function verify(
  ctx: AuthContext,
  { provider, location, audience }: TrustedIssuer,
  { idToken, accessToken }: IdTokenRequest,
): Promise<IdTokenClaims> {
  // Rejects text that isn't a token before sending a request to the issuer.
  if (!isToken(idToken)) throw invalid('Bad ID token');
  // Apple uses two issuer names, but only one discovery document.
  const discoveryLocation = provider === 'apple' ? { ...location, issuer: issuers.apple } : location;
  await ctx.oidc.discover(discoveryLocation).catch((cause: unknown) => {
    throw new AuthError('unexpected_failure', { cause });
  });
  try {
    return await ctx.oidc.verify(idToken, {
      location: discoveryLocation,
      aliases: [location.issuer],
      audience,
      accessToken: accessToken === '' ? undefined : accessToken,
    });
  } catch (cause) {
    const isReported = cause instanceof IdTokenError && cause.fault !== 'other';
    throw invalid(isReported ? cause.message : 'Bad ID token', cause);
  }
}

/**
 * Checks the nonce. The token contains the hash of the nonce, so an intercepted token is useless without the app's
 * nonce.
 */
function checkNonce(claims: IdTokenClaims, nonce: string): void {
  const expected = typeof claims.nonce === 'string' ? claims.nonce : '';
  if ((expected === '') !== (nonce === '')) {
    throw invalid('Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (nonce === '') return;
  if (!sameSecret(createHash('sha256').update(nonce).digest('hex'), expected)) {
    throw new OAuthShapedError('invalid nonce', 'Nonces mismatch');
  }
}
