/** Signs users in with a code that they type, or with a link that redirects the browser to the app. */

import type { Transaction } from '../../../platform/database/types.ts';
import { audienceOf, type Caller } from '../common/caller.ts';
import { isPkceHash } from '../common/pkce.ts';
import { errorKinds, logged } from '../common/public-errors.ts';
import { encodeParams, withParams } from '../common/redirects.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import { type IssuedSession, sessionFragment } from '../sessions/issued-session.ts';
import { findFlowStateOfUser, setCodeIssued } from '../sign-in/flow-states.ts';
import { reloadUser, syncProviders } from '../sign-up/accounts.ts';
import { findByHash } from './find-owner.ts';
import { contactOf, singleConfirmationAccepted, type VerifiedUser, verify } from './verify.ts';
import type { VerifyRequest } from './verify-request.ts';

/** The session that follows a code or link. */
export interface VerifiedSession extends IssuedSession {
  readonly wasPrepared: boolean;
}

/**
 * Verifies a typed code. Returns undefined, and doesn't issue a session yet, if an email change must still be confirmed
 * at the other address.
 */
export async function verifyCode(
  ctx: AuthContext,
  caller: Caller,
  request: VerifyRequest,
): Promise<VerifiedSession | undefined> {
  return ctx.pool.transaction(async (tx) => {
    const verified = await verify(ctx, tx, caller, { request, aud: audienceOf(ctx, caller) });
    if (verified.kind === 'half') return undefined;
    return { ...(await signIn(ctx, tx, caller, verified)), wasPrepared: verified.wasPrepared };
  });
}

async function signIn(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, type }: VerifiedUser,
): Promise<IssuedSession> {
  await syncProviders(ctx, tx, user);
  const isChange = type === 'email_change' || type === 'phone_change';
  const proof = { by: 'code', contact: contactOf(type), isChange } as const;
  return issueSession(ctx, tx, caller, { user: await reloadUser(tx, user), method: 'otp', proof });
}

export interface LinkFacts {
  readonly email: string;
  /** The new address, for an email change. */
  readonly newEmail: string;
  /** For an email change, the other address, to which this link wasn't sent. */
  readonly otherEmail: string;
}

/**
 * Returns the account's current address and, for an email change, the new address. Throws `otp_expired` or
 * `user_banned` if the link doesn't work. The link stays valid.
 */
export async function requireValidLink(ctx: AuthContext, request: VerifyRequest): Promise<LinkFacts> {
  const { user, tokenType } = await ctx.pool.transaction((tx) => findByHash(ctx, tx, request));
  const [email, newEmail] = [user.email ?? '', user.email_change ?? ''];
  return { email, newEmail, otherEmail: tokenType === 'email_change_token_new' ? email : newEmail };
}

/** Verifies a link. Returns the redirect URL with a session, a code or an error. */
export async function followLink(ctx: AuthContext, caller: Caller, request: VerifyRequest): Promise<string> {
  const target = caller.redirectTo();
  const isPkce = isPkceHash(request.hash);
  const follow = (): Promise<string> =>
    ctx.pool.transaction(async (tx) => {
      const verified = await verify(ctx, tx, caller, { request, aud: audienceOf(ctx, caller) });
      if (verified.kind === 'half') {
        const message = { message: singleConfirmationAccepted };
        return withParams(target, isPkce ? message : {}, { ...message, sb: '' });
      }
      if (isPkce) {
        await syncProviders(ctx, tx, verified.user);
        return withParams(target, { code: await issueCode(ctx, tx, verified.user, verified.type) });
      }
      const session = await signIn(ctx, tx, caller, verified);
      return `${target}#${encodeParams({ ...sessionFragment(session), type: verified.type })}`;
    });
  try {
    return await ctx.signIns.track('link', follow);
  } catch (error) {
    // The browser has opened the link, so the app must receive every error.
    return withError(target, logged(ctx, verifyPath, error), isPkce);
  }
}

/** Returns the PKCE code for the flow that requested the link. */
async function issueCode(ctx: AuthContext, tx: Transaction, user: User, type: string): Promise<string> {
  const method = type === 'signup' ? 'email/signup' : type;
  const flow = await findFlowStateOfUser(tx, user.id, method);
  if (!flow?.auth_code) {
    throw authError(
      'flow_state_not_found',
      'No associated flow state found. No valid flow state found for user.',
      {
        status: 400,
      },
    );
  }
  await setCodeIssued(tx, flow.id, ctx.clock.now());
  return flow.auth_code;
}

/** The request path that is logged with errors. */
const verifyPath = '/auth/v1/verify';

/** Adds the error to the URL's fragment and, with PKCE, also to the URL's query. */
function withError(target: string, error: AuthError, isPkce: boolean): string {
  const kind = errorKinds[error.status];
  const params = {
    ...(kind === undefined ? {} : { error: kind }),
    error_code: error.code ?? '',
    error_description: error.message,
  };
  return withParams(target, isPkce ? params : {}, { ...params, sb: '' });
}
