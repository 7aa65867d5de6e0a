/** Exchanges one-time codes of PKCE flows for sessions. */

import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { checkVerifier } from '../common/pkce.ts';
import type { FlowState } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { organizationClaims, switchTo } from '../organizations/claims.ts';
import { recordApp } from '../sessions/browsers.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { setSessionEnd, setSessionTag } from '../sessions/queries.ts';
import { originOf } from './app-codes.ts';
import { consumeFlowState, findFlowStateByCode } from './flow-states.ts';

/**
 * The lifetime of a code. For a magic link, the lifetime starts when the link is opened. In other flows, it starts when
 * the request arrives.
 */
const codeLifetimeMs = 300_000;

export interface RedeemedCode {
  readonly session: IssuedSession;
  readonly flow: FlowState;
}

/**
 * Returns the new session and the flow that a code represents.
 * @throws {AuthError} flow_state_not_found, flow_state_expired, bad_code_verifier, validation_failed
 */
export async function redeemFlowCode(
  ctx: AuthContext,
  caller: Caller,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Promise<RedeemedCode> {
  if (code === '' || verifier === '') {
    throw authError(
      'validation_failed',
      'invalid request: both auth code and code verifier should be non-empty',
    );
  }
  const flow = await findFlowStateByCode(ctx.pool, code);
  if (!flow?.user_id || !flow.code_challenge || !flow.code_challenge_method)
    throw authError('flow_state_not_found');
  if (ctx.clock.now() > codeStartMs(flow) + codeLifetimeMs) throw authError('flow_state_expired');
  const user = await findUserById(ctx.pool, flow.user_id);
  if (!user) throw authError('flow_state_not_found');
  checkVerifier({ codeChallenge: flow.code_challenge, method: flow.code_challenge_method }, verifier);
  const end = flow.provider_type === 'sso/saml' ? await ctx.assertions.sessionEnd(flow.id) : undefined;
  const { session, organization } = await ctx.pool.transaction(async (tx) => {
    if (!(await consumeFlowState(tx, flow.id))) throw authError('flow_state_not_found');
    await audit(ctx, tx, user, { action: 'login', traits: { provider_type: flow.provider_type } });
    const method = flow.authentication_method;
    const from = await originOf(tx, flow);
    const origin = from?.session;
    const chosen = origin && (await organizationClaims(ctx, { userId: user.id, sessionId: origin.id }));
    const signIn = { user, method, proof: { by: 'flow' }, origin, organization: chosen ?? {} } as const;
    const issued = await issueSession(ctx, tx, caller, signIn);
    if (from !== undefined) {
      await recordApp(ctx, tx, { sessionId: issued.sessionId, originId: from.session.id, app: from.app });
    }
    const notAfter = end ?? origin?.not_after ?? undefined;
    if (notAfter !== undefined) await setSessionEnd(tx, issued.sessionId, notAfter);
    if (origin !== undefined) await setSessionTag(tx, issued.sessionId, origin.tag ?? origin.id);
    return { session: issued, organization: chosen };
  });
  if (organization !== undefined)
    await switchTo(ctx, { userId: user.id, sessionId: session.sessionId }, organization);
  return { session, flow };
}

function codeStartMs(flow: FlowState): number {
  const isMagicLink = flow.authentication_method === 'magiclink';
  return toMs(isMagicLink && flow.auth_code_issued_at !== null ? flow.auth_code_issued_at : flow.created_at);
}
