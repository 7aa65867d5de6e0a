/**
 * A user's consent to a client's request. An authorization belongs to the first user who opens it. Users who have
 * already granted the same scopes aren't asked again.
 */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { coversScopes, parseScopes } from '../core/oauth/scopes.ts';
import { withParams } from '../core/redirects.ts';
import { toMs } from '../core/times.ts';
import { type AuthError, authError } from '../errors.ts';
import {
  approveAuthorization,
  closeAuthorization,
  freeAuthorization,
  lockAuthorization,
  setAuthorizationUser,
} from '../queries/oauth-authorizations.ts';
import { findOAuthClient } from '../queries/oauth-clients.ts';
import { findConsent, upsertConsent } from '../queries/oauth-consents.ts';
import type { OAuthAuthorization, OAuthClient, User } from '../rows.ts';

export type ConsentState =
  | { readonly kind: 'ask'; readonly authorization: OAuthAuthorization; readonly client: OAuthClient }
  /** Already granted. The redirect address contains a code for the client. */
  | { readonly kind: 'allowed'; readonly redirectUrl: string };

/** Throws `oauth_authorization_not_found`, and `validation_failed` if the request is already decided. */
export async function openAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  user: User,
): Promise<ConsentState> {
  const answered = 'authorization request cannot be processed';
  const isMine = (row: OAuthAuthorization) => row.user_id === null || row.user_id === user.id;
  return withPending(ctx, { authorizationId, isMine, answered }, async (tx, row) => {
    const client = await findOAuthClient(tx, row.client_id);
    if (client === undefined) return notFound();
    if (row.user_id === null) {
      await setAuthorizationUser(tx, row.id, user.id);
      const consent = await findConsent(tx, user.id, row.client_id);
      if (consent && coversScopes(parseScopes(consent.scopes), parseScopes(row.scope))) {
        const code = await approveAuthorization(tx, row.id, ctx.clock.now());
        return { kind: 'allowed', redirectUrl: successUrl(ctx, row, code) };
      }
    }
    return { kind: 'ask', authorization: row, client };
  });
}

/**
 * Stores the user's decision and returns the redirect address. Throws the errors of {@link openAuthorization}. Only the
 * user who opened the request can decide it.
 */
export async function decideAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  user: User,
  action: 'approve' | 'deny',
): Promise<string> {
  const answered = 'authorization request is no longer pending';
  const isMine = (row: OAuthAuthorization) => row.user_id === user.id;
  return withPending(ctx, { authorizationId, isMine, answered }, async (tx, row) => {
    if (action === 'deny') {
      await closeAuthorization(tx, row.id, 'denied');
      return errorUrl(ctx, row.redirect_uri, 'access_denied', 'User denied the request', row.state);
    }
    if ((await findOAuthClient(tx, row.client_id)) === undefined) return notFound();
    const now = ctx.clock.now();
    const code = await approveAuthorization(tx, row.id, now);
    const consent = { userId: user.id, clientId: row.client_id, scopes: parseScopes(row.scope) };
    await upsertConsent(tx, consent, now);
    return successUrl(ctx, row, code);
  });
}

/** Releases a pending authorization, so that another user on the same device can decide it. */
export async function releaseAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  userId: string,
): Promise<void> {
  await freeAuthorization(ctx.pool, authorizationId, userId);
}

/** Whether an administrator registered the client. Otherwise anyone may have registered it, under any name. */
export async function isVettedClient(ctx: AuthContext, clientId: string): Promise<boolean> {
  return (await findOAuthClient(ctx.pool, clientId))?.registration_type === 'manual';
}

/**
 * Runs `work` on the locked row. Errors are thrown after the transaction, so that the status "expired" is committed.
 */
async function withPending<T extends object | string>(
  ctx: AuthContext,
  wanted: {
    readonly authorizationId: string;
    readonly isMine: (row: OAuthAuthorization) => boolean;
    /** The message for a request that is already decided. */
    readonly answered: string;
  },
  work: (tx: Transaction, row: OAuthAuthorization) => Promise<T | AuthError>,
): Promise<T> {
  const outcome = await ctx.pool.transaction(async (tx) => {
    const row = await lockAuthorization(tx, wanted.authorizationId);
    if (row === undefined || !wanted.isMine(row)) return notFound();
    if (toMs(row.expires_at) < ctx.clock.now()) {
      if (row.status === 'pending') await closeAuthorization(tx, row.id, 'expired');
      return notFound();
    }
    if (row.status !== 'pending') return authError('validation_failed', wanted.answered);
    return work(tx, row);
  });
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/**
 * Returns the same error for unknown, expired and other users' authorizations, so that the error doesn't reveal which
 * case applies.
 */
function notFound(): AuthError {
  return authError('oauth_authorization_not_found', 'authorization not found');
}

function successUrl(ctx: AuthContext, row: OAuthAuthorization, code: string): string {
  return answerUrl(ctx, row.redirect_uri, { code }, row.state);
}

/** RFC 6749 section 4.1.2.1. */
export function errorUrl(
  ctx: AuthContext,
  redirectUri: string,
  error: string,
  description: string,
  state: string | null,
): string {
  return answerUrl(ctx, redirectUri, { error, error_description: description }, state);
}

/**
 * Adds the issuer, so that a client of several servers can tell which one sent the response (RFC 9207). Upstream omits
 * the issuer.
 */
function answerUrl(
  ctx: AuthContext,
  redirectUri: string,
  answer: Record<string, string>,
  state: string | null,
): string {
  return withParams(redirectUri, { ...answer, ...(state ? { state } : {}), iss: ctx.settings.issuer() });
}
