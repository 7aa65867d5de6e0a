/** Authenticates callers by verifying the bearer token and reading the user and session from the database. */
import type { Claims } from '../../../platform/keys/types.ts';
import type { AdminCaller, Caller, UserCaller } from '../common/caller.ts';
import { provenSession } from '../common/proven-session.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import { findSession, findUserWithSession } from './queries.ts';

/**
 * Authenticates a user. Unless the settings allow them, rejects OAuth clients that act for a user, because such a
 * client could take over the account or keep its access after the user has revoked it. Throws the errors of
 * {@link requireCaller}, and 403 `no_authorization` for OAuth clients.
 */
export async function requireUser(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  return ctx.settings.clientsActAsUsers ? requireCaller(ctx, caller) : requirePerson(ctx, caller);
}

/**
 * Authenticates a user and rejects OAuth clients regardless of the settings. Use this function for managing grants and
 * for deleting the account.
 */
export async function requirePerson(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  const user = await requireCaller(ctx, caller);
  if (isClient(user)) throw rejectClient();
  return user;
}

export function isClient({ session }: UserCaller): boolean {
  return Boolean(session?.oauth_client_id);
}

function rejectKey(): AuthError {
  return authError('no_authorization', 'API keys are not allowed to perform these actions', { status: 403 });
}

export function rejectClient(): AuthError {
  return authError('no_authorization', 'OAuth clients are not allowed to perform these actions', {
    status: 403,
  });
}

/**
 * Authenticates a user, or an OAuth client that acts for a user. Throws 401 `no_authorization`, and 403 `bad_jwt`,
 * `user_not_found`, `session_not_found` or `user_banned`.
 */
export async function requireCaller(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  const { claims, userId, sessionId } = subjectOf(ctx, caller);
  // The token of a user's API key, which has no session. Functions can pass such a token on to this service.
  if (sessionId === undefined && claims.key_id !== undefined) throw rejectKey();
  const found =
    sessionId === undefined
      ? { user: await findUserById(ctx.pool, userId), session: undefined }
      : await findUserWithSession(ctx.pool, { userId, sessionId });
  const session = found?.session;
  const user = requireLive(ctx, found?.user, sessionId === undefined || session !== undefined);
  return { ...caller, claims, user, session: session && provenSession(session, claims) };
}

/** Authenticates a user like {@link requireCaller}, for requests that only need to know that the session exists. */
export async function requireOwnUser(
  ctx: AuthContext,
  caller: Caller,
): Promise<Pick<UserCaller, 'claims' | 'user'>> {
  const { claims, userId, sessionId } = subjectOf(ctx, caller);
  const found = await ctx.readOwnUser({ userId, sessionId });
  return { claims, user: requireLive(ctx, found?.user, found?.hasSession) };
}

interface Subject {
  readonly claims: Claims;
  readonly userId: string;
  /** Undefined if the token doesn't belong to a session. */
  readonly sessionId: string | undefined;
}

function subjectOf(ctx: AuthContext, caller: Caller): Subject {
  const claims = requireClaims(ctx, caller);
  const userId = typeof claims.sub === 'string' ? claims.sub : '';
  if (userId === '') throw authError('bad_jwt', 'invalid claim: missing sub claim');
  if (!isUuid(userId)) throw authError('bad_jwt', 'invalid claim: sub claim must be a UUID', { status: 400 });
  return { claims, userId, sessionId: sessionIdOf(claims) };
}

function requireLive(ctx: AuthContext, user: User | undefined, hasSession: boolean | undefined): User {
  if (!user) throw authError('user_not_found', 'User from sub claim in JWT does not exist', { status: 403 });
  if (hasSession !== true) throw authError('session_not_found');
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
  return user;
}

/** Authenticates a user like {@link requireUser}, but also rejects guests. */
export async function requirePermanentUser(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  const user = await requireUser(ctx, caller);
  rejectAnonymous(user.claims);
  return user;
}

/**
 * Throws 403 `no_authorization` if the user is a guest, an anonymous user in upstream's terms. Like upstream, the token
 * decides, so a guest who has become a permanent user needs a new token.
 */
function rejectAnonymous(claims: Claims): void {
  if (claims.is_anonymous !== true) return;
  throw authError('no_authorization', 'Anonymous user not allowed to perform these actions', { status: 403 });
}

/** Authenticates an administrator. Throws 403 `not_admin` unless the role in the token is an admin role. */
export async function requireAdmin(ctx: AuthContext, caller: Caller): Promise<AdminCaller> {
  const claims = requireClaims(ctx, caller);
  const role = typeof claims.role === 'string' ? claims.role : '';
  if (!ctx.settings.adminRoles.includes(role)) throw authError('not_admin');
  const sessionId = sessionIdOf(claims);
  if (sessionId !== undefined && !(await findSession(ctx.pool, sessionId)))
    throw authError('session_not_found');
  return { ...caller, claims };
}

/** Returns the claims of the bearer token if the token is valid. Doesn't check the issuer or the audience. */
function requireClaims(ctx: AuthContext, caller: Caller): Claims {
  if (caller.accessToken === undefined) throw authError('no_authorization');
  const verified = ctx.keys.verifyOwn(caller.accessToken);
  if (!verified.ok && verified.reason === 'kind') {
    throw authError('bad_jwt', 'invalid claim: this JWT is not an access token');
  }
  if (!verified.ok) throw badToken(faultText(verified.reason));
  const nowSeconds = ctx.clock.now() / 1000;
  const { exp, nbf } = verified.claims;
  if (exp !== undefined && (typeof exp !== 'number' || nowSeconds >= exp)) {
    throw badToken('token has invalid claims: token is expired');
  }
  if (nbf !== undefined && (typeof nbf !== 'number' || nowSeconds < nbf)) {
    throw badToken('token has invalid claims: token is not valid yet');
  }
  return verified.claims;
}

function badToken(reason: string) {
  return authError('bad_jwt', `invalid JWT: unable to parse or verify signature, ${reason}`);
}

function faultText(reason: string): string {
  switch (reason) {
    case 'malformed':
      return 'token is malformed';
    case 'algorithm':
      return 'token signature is invalid: signing method is invalid';
    case 'no-key':
      return 'token is unverifiable: no key for its kid and algorithm';
    default:
      return 'token signature is invalid';
  }
}

/** Returns the ID of the token's session. Returns undefined if the token doesn't belong to a session. */
function sessionIdOf(claims: Claims): string | undefined {
  const id = typeof claims.session_id === 'string' ? claims.session_id : '';
  if (id === '' || /^[0-]+$/.test(id)) return undefined;
  if (!isUuid(id)) throw authError('bad_jwt', 'invalid claim: session_id claim must be a UUID');
  return id;
}
