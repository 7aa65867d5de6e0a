/**
 * Issues sessions when users sign in, and signs the access tokens of sessions. Each sign-in is recorded in the user's
 * timeline, and the user is notified if the device is new.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { type Aal, type AmrEntry, accessTokenClaims, assurance, claimFaults } from '../common/claims.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import { type Proof, requireProof } from '../common/proof.ts';
import type { Session, User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { prepareNotice } from '../security-events/notify.ts';
import { recordSignIn } from '../security-events/record.ts';
import { includesSso, requireSsoIfEnforced } from '../sso/enforced.ts';
import { recordBrowser } from './browsers.ts';
import type { IssuedSession } from './issued-session.ts';
import { addAmrClaim, insertSession, setSessionAal } from './queries.ts';
import { insertRefreshToken } from './refresh-token-queries.ts';

/** The values of the `amr` claim. */
export type AuthenticationMethod =
  | 'password'
  | 'otp'
  | 'oauth'
  | 'totp'
  | 'mfa/phone'
  | 'mfa/webauthn'
  | 'anonymous'
  | (string & {});

/** The grant to the OAuth client that receives the session. */
interface ClientGrant {
  readonly clientId: string;
  readonly scopes: string;
  /** The session's ID, derived from the code. See `sessionIdOfCode`. */
  readonly sessionId: string;
}

/** The sign-in for which a session is issued. */
interface SignIn {
  readonly user: User;
  readonly method: AuthenticationMethod;
  readonly proof: Proof;
  /**
   * An earlier session, whose methods, level and factor the session inherits. Users therefore don't have to authenticate
   * again when they continue from the Account pages to an app.
   */
  readonly origin?: Pick<Session, 'aal' | 'factor_id' | 'amr_claims'> | undefined;
  /** The claims of the organization of `origin`, to which the new session also switches. */
  readonly organization?: JsonObject;
  readonly grant?: ClientGrant;
}

/** Checks the proof and issues a session. Sets the `sb-auth-*` headers as in upstream. */
export async function issueSession(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, method, proof, origin, organization = {}, grant }: SignIn,
): Promise<IssuedSession> {
  await requireProof(ctx, tx, user, proof);
  const now = ctx.clock.now();
  const claims = origin?.amr_claims ?? [{ authentication_method: method, updated_at: fromMs(now) }];
  // For a grant, the SSO requirement was already checked when the user approved the grant.
  const methods = claims.map((claim) => claim.authentication_method);
  const usedSso = grant !== undefined || includesSso(methods);
  const provider = proof.by === 'identity' ? proof.provider : undefined;
  await requireSsoIfEnforced(ctx, tx, user, { usedSso, provider, methods });
  const sessionId = grant?.sessionId ?? randomUUID();
  const { userAgent, ip } = caller;
  await insertSession(
    tx,
    { id: sessionId, userId: user.id, userAgent, ip, ...(grant ? { oauth: grant } : {}) },
    now,
  );
  if (grant === undefined) await recordBrowser(ctx, tx, caller, { sessionId, userId: user.id });
  const refreshToken = await insertRefreshToken(tx, { userId: user.id, sessionId, parent: null }, now);
  await updateUser(tx, user, { last_sign_in_at: fromMs(now) }, now);
  // If a client or app gets a session from an existing sign-in, this doesn't count as another sign-in.
  const isSignIn =
    (origin === undefined || proof.by === 'passkey') && !(proof.by === 'code' && proof.isChange);
  if (grant === undefined && isSignIn) {
    await noteSignIn(ctx, tx, caller, { user, method, proof });
  }
  for (const claim of claims)
    await addAmrClaim(tx, sessionId, claim.authentication_method, toMs(claim.updated_at));
  if (origin?.aal && origin.aal !== 'aal1')
    await setSessionAal(tx, sessionId, { aal: origin.aal, factorId: origin.factor_id, nowMs: now });
  caller.setHeader('sb-auth-user-id', user.id);
  caller.setHeader('sb-auth-session-id', sessionId);
  caller.setHeader('sb-auth-refresh-token-prefix', refreshToken.slice(0, 5));
  const { aal, amr } = assurance(claims, user);
  const client = grant ? { clientId: grant.clientId, scope: grant.scopes } : {};
  return signSession(ctx, tx, caller, {
    user,
    sessionId,
    aal,
    amr,
    method,
    refreshToken,
    organization,
    ...client,
  });
}

interface SessionToSign {
  readonly user: User;
  readonly sessionId: string;
  readonly aal: Aal;
  readonly amr: readonly AmrEntry[];
  /** The request's authentication method, which is passed to the hook. */
  readonly method: AuthenticationMethod | 'token_refresh';
  readonly refreshToken: string;
  readonly scope?: string;
  readonly clientId?: string;
  /** The claims of the session's organization, see `organizations/claims.ts`. */
  readonly organization: JsonObject;
}

/** Returns the token claims that identify the session's OAuth client. */
export function clientOf({
  oauth_client_id: clientId,
  scopes,
}: Pick<Session, 'oauth_client_id' | 'scopes'>): Pick<SessionToSign, 'clientId' | 'scope'> {
  return {
    ...(scopes === null ? {} : { scope: scopes }),
    ...(clientId === null ? {} : { clientId }),
  };
}

/**
 * Signs the session's access token. If the project has a hook that customizes claims, runs the hook in the transaction
 * `tx`.
 */
export async function signSession(
  ctx: AuthContext,
  tx: Transaction | undefined,
  caller: Caller,
  session: SessionToSign,
): Promise<IssuedSession> {
  const issuedAtSeconds = Math.floor(ctx.clock.now() / 1000);
  const lifetimeSeconds = ctx.settings.accessTokenSeconds;
  const claims = {
    ...accessTokenClaims({ ...session, issuer: ctx.settings.issuer(), issuedAtSeconds, lifetimeSeconds }),
    ...session.organization,
  };
  const finalClaims = ctx.settings.hooks.custom_access_token.enabled
    ? await customClaims(ctx, tx, caller, { session, claims })
    : claims;
  return {
    sessionId: session.sessionId,
    accessToken: ctx.keys.sign(finalClaims),
    expiresInSeconds: lifetimeSeconds,
    expiresAtSeconds: issuedAtSeconds + lifetimeSeconds,
    refreshToken: session.refreshToken,
    user: session.user,
  };
}

/** Returns the claims of the project's hook. @throws {AuthError} if the hook fails or returns invalid claims */
export async function customClaims(
  ctx: AuthContext,
  tx: Transaction | undefined,
  caller: Pick<Caller, 'ip'>,
  {
    session,
    claims,
  }: { readonly session: Pick<SessionToSign, 'user' | 'method'>; readonly claims: JsonObject },
): Promise<JsonObject> {
  const response = await runHook(ctx, caller, {
    name: 'custom_access_token',
    input: { user_id: session.user.id, claims, authentication_method: session.method },
    tx,
  });
  if (!isJsonObject(response.claims)) throw internalError('output claims field is missing');
  const faults = claimFaults(response.claims);
  if (faults.length > 0) {
    const list = faults.map((fault) => `- ${fault}\n`).join('');
    throw new AuthError(undefined, {
      status: 500,
      message: `output claims do not conform to the expected schema: \n${list}`,
    });
  }
  return response.claims;
}

/**
 * Returns the provider of a sign-in that ended with a code exchange. Because the code doesn't identify the provider,
 * returns the provider of the most recently used identity.
 */
function usedProvider({ identities }: User, method: string): { readonly provider?: string } {
  if (method !== 'oauth') return {};
  const [latest] = (identities ?? [])
    .filter(({ provider }) => provider !== 'email' && provider !== 'phone')
    .sort((one, other) => (other.last_sign_in_at ?? '').localeCompare(one.last_sign_in_at ?? ''));
  return latest === undefined ? {} : { provider: latest.provider };
}

async function noteSignIn(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, method, proof }: Pick<SignIn, 'user' | 'method' | 'proof'>,
): Promise<void> {
  const provider = proof.by === 'identity' ? { provider: proof.provider } : usedProvider(user, method);
  const event = await recordSignIn(ctx, tx, caller, { userId: user.id, details: { method, ...provider } });
  if (event?.details.new_device !== true || user.email_confirmed_at === null) return;
  const notice = await prepareNotice(ctx, caller, { user, kind: 'new_device', event, tx });
  // Sends the email in the background, so that the response for a new device takes no longer than the response for a
  // known device.
  if (notice) await ctx.backgroundWork.do(true, () => notice.send());
}
