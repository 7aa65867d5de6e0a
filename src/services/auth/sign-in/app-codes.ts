/**
 * Lets users who are signed in on the Account pages sign in to an app. The app receives a PKCE code for the signed-in
 * user and exchanges it for a separate session. This session has the authentication methods, the assurance level and
 * the factor of the session on the Account pages. The `referrer` of the flow state stores the ID of the session on the
 * Account pages, and the app's origin.
 */

import { splitOnce } from '../../../base/shared/http/split-once.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { parseChallenge } from '../common/pkce.ts';
import type { FlowState, Session } from '../common/rows.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { findSession } from '../sessions/queries.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { insertFlowState } from './flow-states.ts';

/** The provider type that identifies the flow states that this module creates. */
const providerType = 'account';

export interface CodeRequest {
  /** The access token of the user's session on the Account pages. */
  readonly accessToken: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: 's256' | 'plain';
  /** The URL of the app that receives the code. */
  readonly redirectTo: string;
}

/**
 * Returns a one-time code for `/token?grant_type=pkce`.
 * @throws {AuthError} bad_jwt, session_not_found, validation_failed
 */
export async function issueCode(ctx: AuthContext, request: CodeRequest): Promise<string> {
  const verified = ctx.keys.verifyOwn(request.accessToken);
  const { sub, session_id: sessionId, exp } = verified.ok ? verified.claims : {};
  if (typeof exp !== 'number' || exp * 1000 <= ctx.clock.now()) throw authError('bad_jwt');
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) throw authError('bad_jwt');
  const session = await findSession(ctx.pool, sessionId);
  if (session === undefined || session.user_id !== sub) throw authError('session_not_found');
  const challenge = parseChallenge(request.codeChallenge, request.codeChallengeMethod);
  if (challenge === undefined) throw authError('validation_failed', 'code_challenge required');
  const authenticationMethod = session.amr_claims[0]?.authentication_method ?? 'otp';
  const flow = {
    userId: session.user_id,
    providerType,
    authenticationMethod,
    challenge,
    referrer: `${session.id} ${appOf(request.redirectTo)}`,
  };
  const user = await findUserById(ctx.pool, session.user_id);
  if (user === undefined) throw authError('session_not_found');
  return asUser(ctx, { user, session }, (tx) => insertFlowState(tx, flow, ctx.clock.now()));
}

/** Returns the origin of a website, or the scheme and host of a native app's URL. */
function appOf(redirectTo: string): string {
  const { origin, protocol, host } = new URL(redirectTo);
  return origin === 'null' ? `${protocol}//${host}` : origin;
}

export interface Origin {
  /** The user's session on the Account pages. */
  readonly session: Session;
  /** The app's origin. The origin is null if an earlier version of Plinth created the code. */
  readonly app: string | null;
}

/**
 * Returns the app for which a code was created, and the session that created the code. Returns undefined for codes of
 * other flows.
 * @throws {AuthError} if the session that created the code has ended
 */
export async function originOf(db: Queryable, flow: FlowState): Promise<Origin | undefined> {
  if (flow.provider_type !== providerType || flow.referrer === null) return undefined;
  const [sessionId, app] = splitOnce(flow.referrer, ' ');
  const session = await findSession(db, sessionId);
  if (session === undefined) throw authError('flow_state_not_found');
  return { session, app: app ?? null };
}
