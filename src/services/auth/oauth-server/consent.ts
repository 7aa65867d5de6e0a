/**
 * Handles the user's consent to an OAuth client's request, and lists and revokes the user's grants. An authorization
 * belongs to the first user who opens it. Users who have already granted the requested scopes to the client aren't asked
 * again.
 */
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { withParams } from '../common/redirects.ts';
import type { OAuthAuthorization, OAuthClient, User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { recordApp } from '../sessions/browsers.ts';
import { deleteClientSessions } from '../sessions/queries.ts';
import { asUser, asUserEnding, type SignedIn } from '../sessions/user-transaction.ts';
import { includesSso, requireSsoIfEnforced } from '../sso/enforced.ts';
import {
  approveAuthorization,
  closeAuthorization,
  findConsent,
  findOAuthClient,
  freeAuthorization,
  type GrantedClient,
  listConsents,
  lockAuthorization,
  revokeConsent,
  setAuthorizationUser,
  upsertConsent,
} from './queries.ts';
import { coversScopes, parseScopes } from './scopes.ts';
import { sessionIdOfCode } from './secrets.ts';

/** The user who approves or denies an authorization, and the user's session. */
type Decider = SignedIn;

/**
 * An authorization request that a user has opened. Contains the client's request, or the redirect URL if the user has
 * already granted access.
 */
export type OpenedAuthorization =
  | {
      readonly kind: 'ask';
      readonly authorization: OAuthAuthorization;
      readonly client: OAuthClient;
      readonly user: User;
    }
  | { readonly kind: 'allowed'; readonly redirectUrl: string };

/**
 * Opens an authorization for the user who will approve or deny it.
 * @throws {AuthError} oauth_authorization_not_found, sso_required, or validation_failed if the authorization has
 * already been decided
 */
export async function openAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  { user, session }: Decider,
): Promise<OpenedAuthorization> {
  const notPendingMessage = 'authorization request cannot be processed';
  const isMine = (row: OAuthAuthorization) => row.user_id === null || row.user_id === user.id;
  const self = { user, session };
  return withPending(ctx, self, { authorizationId, isMine, notPendingMessage }, async (tx, row) => {
    const client = await findOAuthClient(tx, row.client_id);
    if (client === undefined) return notFound();
    if (row.user_id === null) {
      await setAuthorizationUser(tx, row.id, user.id);
      const consent = await findConsent(tx, user.id, row.client_id);
      if (consent && coversScopes(parseScopes(consent.scopes), parseScopes(row.scope))) {
        const code = await approve(ctx, tx, row, self);
        return { kind: 'allowed', redirectUrl: successUrl(ctx, row, code) };
      }
    }
    return { kind: 'ask', authorization: row, client, user };
  });
}

/**
 * Stores the user's decision and returns the redirect URL. Only the user who opened the authorization can approve or
 * deny it. Throws the errors of {@link openAuthorization}.
 */
export async function decideAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  caller: UserCaller,
  action: 'approve' | 'deny',
): Promise<string> {
  const { user } = caller;
  const notPendingMessage = 'authorization request is no longer pending';
  const isMine = (row: OAuthAuthorization) => row.user_id === user.id;
  return withPending(ctx, caller, { authorizationId, isMine, notPendingMessage }, async (tx, row) => {
    if (action === 'deny') {
      await closeAuthorization(tx, row.id, 'denied');
      return errorUrl(ctx, row.redirect_uri, {
        error: 'access_denied',
        description: 'User denied the request',
        state: row.state,
      });
    }
    const client = await findOAuthClient(tx, row.client_id);
    if (client === undefined) return notFound();
    const code = await approve(ctx, tx, row, caller);
    const consent = { userId: user.id, clientId: row.client_id, scopes: parseScopes(row.scope) };
    await upsertConsent(tx, consent, ctx.clock.now());
    const details = { client_id: row.client_id, name: client.client_name ?? '', scopes: row.scope };
    const event = await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'app_connected', details });
    await notify(ctx, caller, { user, kind: 'app_connected', app: details.name || row.client_id, event, tx });
    return successUrl(ctx, row, code);
  });
}

/**
 * Approves an authorization and returns the authorization code. Records the user's current browser as the browser of
 * the client's session.
 */
async function approve(
  ctx: AuthContext,
  tx: Transaction,
  row: OAuthAuthorization,
  { user, session }: Decider,
): Promise<string> {
  const methods = session?.amr_claims?.map((claim) => claim.authentication_method) ?? [];
  await requireSsoIfEnforced(ctx, tx, user, { usedSso: includesSso(methods), methods });
  const code = await approveAuthorization(tx, row.id, ctx.clock.now());
  if (session) {
    await recordApp(ctx, tx, { sessionId: sessionIdOfCode(code), originId: session.id, app: null });
  }
  return code;
}

/**
 * Removes the user from a pending authorization, so that another user can open the authorization, for example on the
 * same device.
 */
export async function releaseAuthorization(
  ctx: AuthContext,
  authorizationId: string,
  userId: string,
): Promise<void> {
  await freeAuthorization(ctx.pool, authorizationId, userId);
}

/**
 * Whether an administrator registered the client. Clients that no administrator registered can have any name, because
 * anyone can register them.
 */
export async function isTrustedClient(ctx: AuthContext, clientId: string): Promise<boolean> {
  return (await findOAuthClient(ctx.pool, clientId))?.registration_type === 'manual';
}

/**
 * Runs `work` on the authorization's locked row. Throws errors only after the transaction, so that the status `expired`
 * is committed.
 */
async function withPending<T extends object | string>(
  ctx: AuthContext,
  self: SignedIn,
  requested: {
    readonly authorizationId: string;
    readonly isMine: (row: OAuthAuthorization) => boolean;
    /** The message of the error for an authorization that has already been decided. */
    readonly notPendingMessage: string;
  },
  work: (tx: Transaction, row: OAuthAuthorization) => Promise<T | AuthError>,
): Promise<T> {
  const outcome = await asUser(ctx, self, async (tx) => {
    const row = await lockAuthorization(tx, requested.authorizationId);
    if (row === undefined || !requested.isMine(row)) return notFound();
    if (toMs(row.expires_at) < ctx.clock.now()) {
      if (row.status === 'pending') await closeAuthorization(tx, row.id, 'expired');
      return notFound();
    }
    if (row.status !== 'pending') return authError('validation_failed', requested.notPendingMessage);
    return work(tx, row);
  });
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/**
 * Returns the same error for authorizations that don't exist, have expired or belong to another user, so that clients
 * can't determine which case applies.
 */
function notFound(): AuthError {
  return authError('oauth_authorization_not_found', 'authorization not found');
}

function successUrl(ctx: AuthContext, row: OAuthAuthorization, code: string): string {
  return decisionUrl(ctx, row.redirect_uri, { code }, row.state);
}

interface AuthorizationError {
  /** The error code of RFC 6749. */
  readonly error: string;
  readonly description: string;
  /** The state from the client's request. */
  readonly state: string | null;
}

/** Returns the redirect URL that reports an error to the client (RFC 6749 section 4.1.2.1). */
export function errorUrl(
  ctx: AuthContext,
  redirectUri: string,
  { error, description, state }: AuthorizationError,
): string {
  return decisionUrl(ctx, redirectUri, { error, error_description: description }, state);
}

/**
 * Returns the redirect URL after a decision. The URL contains the issuer (RFC 9207), so that a client that uses several
 * servers can determine which server sent the response. Upstream omits the issuer.
 */
function decisionUrl(
  ctx: AuthContext,
  redirectUri: string,
  response: Record<string, string>,
  state: string | null,
): string {
  return withParams(redirectUri, { ...response, ...(state ? { state } : {}), iss: ctx.settings.issuer() });
}

export function listGrants(ctx: AuthContext, { user }: UserCaller): Promise<GrantedClient[]> {
  return listConsents(ctx.pool, user.id);
}

/**
 * Revokes a client's grant and ends the client's sessions.
 * @throws {AuthError} validation_failed, oauth_consent_not_found
 */
export async function revokeGrant(ctx: AuthContext, caller: UserCaller, clientId: string): Promise<void> {
  const { user } = caller;
  if (clientId === '') throw authError('validation_failed', 'client_id query parameter is required');
  if (!isUuid(clientId)) throw authError('validation_failed', 'invalid client_id format');
  await asUserEnding(ctx, caller, async (tx) => {
    const consent = await findConsent(tx, user.id, clientId);
    if (consent === undefined) {
      throw authError('oauth_consent_not_found', 'No active grant found for this client');
    }
    await revokeConsent(tx, consent.id, ctx.clock.now());
    await deleteClientSessions(tx, user.id, clientId);
    const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' };
    await audit(ctx, tx, user, { action: 'token_revoked', traits });
    const client = await findOAuthClient(tx, clientId);
    const details = { client_id: clientId, name: client?.client_name ?? '' };
    await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'app_disconnected', details });
  });
}
