/** Completes a sign-in when the provider redirects the browser back, and redirects the browser to the app. */

import type { Transaction } from '../../../platform/database/types.ts';
import { audienceOf, type Caller } from '../common/caller.ts';
import { errorParams } from '../common/public-errors.ts';
import { encodeParams, withParams } from '../common/redirects.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { FlowState, User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import { type IssuedSession, sessionFragment } from '../sessions/issued-session.ts';
import { completeOAuthFlow, consumeFlowState, findOAuthFlow } from '../sign-in/flow-states.ts';
import { runAfterUserCreated } from '../sign-up/accounts.ts';
import {
  type ExternalOutcome,
  identityProof,
  requireIdentifying,
  runBeforeExternalUser,
  signInExternally,
} from './accounts.ts';
import { acceptInvite, linkIdentity } from './links.ts';
import type { ProviderResponse } from './profile.ts';
import { isConnection, readProviderResponse } from './response.ts';

/** The maximum duration of a sign-in, which starts when the browser is redirected to the provider. */
const signInLifetimeMs = 300_000;

export interface SignInRedirect {
  readonly location: string;
  readonly status: 302 | 303;
}

/**
 * Returns the URL and status of the redirect. The URL contains errors as parameters.
 * @param params the parameters that the provider added to the callback URL
 * @param connection the organization's connection to which the callback URL belongs
 */
export async function finishProviderSignIn(
  ctx: AuthContext,
  caller: Caller,
  params: URLSearchParams,
  connection?: string,
): Promise<SignInRedirect> {
  let stored: StoredSignIn;
  try {
    stored = await findStoredSignIn(ctx, params.get('state') ?? '');
    // Only the connection that started the sign-in can complete it, and only at its own URL.
    const started = isConnection(stored.flow.provider_type) ? stored.flow.provider_type : undefined;
    if (started !== connection) throw authError('bad_oauth_state', 'OAuth state not found or expired');
  } catch (error) {
    // Without a valid state, the app's URL is unknown, so the browser is redirected to the site URL.
    const location = withParams(ctx.settings.siteUrl, errorParams(ctx, callbackPath, error));
    return { location, status: 303 };
  }
  const { redirectTo } = stored;
  try {
    const starter = callerAtStart(caller, redirectTo);
    const location = await ctx.signIns.track('oauth', () => finish(ctx, starter, stored, params));
    return { location, status: 302 };
  } catch (error) {
    const query = errorParams(ctx, callbackPath, error);
    const fragment = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
    return { location: withParams(redirectTo, query, { ...fragment, sb: '' }), status: 302 };
  }
}

/**
 * Returns the caller with the language and URL of the Account page on which the sign-in was started. Although the
 * provider redirects to `/auth/v1/callback`, the emails of this sign-in use the page's language and link back to the
 * page.
 */
function callerAtStart(caller: Caller, url: string): Caller {
  const pageLanguage = caller.pageLanguageAt?.(url);
  return pageLanguage === undefined ? caller : { ...caller, pageLanguage, redirectTo: () => url };
}

/** The request path that is logged with errors. */
const callbackPath = '/auth/v1/callback';

interface StoredSignIn {
  readonly flow: FlowState;
  /** The URL to which the browser is redirected at the end of the sign-in. */
  readonly redirectTo: string;
  /** The user to whom the identity will be linked. */
  readonly target: User | undefined;
}

/**
 * Returns the sign-in that the state identifies.
 * @throws {AuthError} if the state is unknown, has already been used or has expired
 */
async function findStoredSignIn(ctx: AuthContext, state: string): Promise<StoredSignIn> {
  if (state === '') throw authError('bad_oauth_callback', 'OAuth state parameter missing');
  if (!isUuid(state)) throw authError('bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await findOAuthFlow(ctx.pool, state);
  if (!flow) throw authError('bad_oauth_state', 'OAuth state not found or expired');
  if (ctx.clock.now() > toMs(flow.created_at) + signInLifetimeMs) {
    throw authError('bad_oauth_state', 'OAuth state has expired');
  }
  if (flow.user_id !== null) throw usedBefore();
  const redirectTo = flow.referrer || ctx.settings.siteUrl;
  if (flow.linking_target_id === null) return { flow, redirectTo, target: undefined };
  const target = await findUserById(ctx.pool, flow.linking_target_id);
  if (!target) throw authError('user_not_found', 'Linking target user not found', { status: 422 });
  return { flow, redirectTo, target };
}

const usedBefore = () => authError('flow_state_already_used', 'State has already been used');

/**
 * Returns the redirect URL. The URL's fragment contains the session, or with PKCE, the URL contains a code that only
 * the app can exchange.
 */
async function finish(
  ctx: AuthContext,
  caller: Caller,
  stored: StoredSignIn,
  params: URLSearchParams,
): Promise<string> {
  const { flow, redirectTo } = stored;
  const response = await readProviderResponse(ctx, flow, params);
  if (response.profile.emails.length === 0 && !flow.email_optional) {
    throw internalError('Error getting user email from external provider');
  }
  requireIdentifying(response.profile);
  const admitted = isConnection(flow.provider_type)
    ? await (await import('../organizations/connections/sign-in.ts')).admitFlow(
        ctx,
        flow.provider_type,
        response.profile,
      )
    : undefined;
  const signIn = {
    provider: flow.provider_type,
    profile: admitted?.profile ?? response.profile,
    emailOptional: flow.email_optional,
    aud: audienceOf(ctx, caller),
    rules: admitted?.rules,
  };
  const method = flow.authentication_method;
  if (!stored.target && !flow.invite_token) await runBeforeExternalUser(ctx, caller, signIn);

  // An app gets no tokens of an organization's identity provider.
  const tokensFor = ({ accessToken, refreshToken }: ProviderResponse) =>
    admitted === undefined ? { accessToken, refreshToken } : { accessToken: '', refreshToken: '' };

  const work = async (tx: Transaction) => {
    const outcome: ExternalOutcome = stored.target
      ? await linkIdentity(ctx, tx, caller, { target: stored.target, ...signIn })
      : flow.invite_token
        ? await acceptInvite(ctx, tx, flow.invite_token, signIn)
        : await signInExternally(ctx, tx, caller, signIn);
    if (outcome.kind === 'refusal') return outcome;
    const { user, isNew } = outcome;
    if (flow.auth_code === null) {
      if (!(await consumeFlowState(tx, flow.id))) throw usedBefore();
      return {
        kind: 'session' as const,
        session: await issueSession(ctx, tx, caller, { user, method, proof: identityProof(signIn) }),
        user,
        isNew,
      };
    }
    const done = { userId: user.id, ...tokensFor(response) };
    if (!(await completeOAuthFlow(tx, flow.id, done, ctx.clock.now()))) throw usedBefore();
    return { kind: 'code' as const, code: flow.auth_code, user, isNew };
  };
  // Another tab may have created the same account at the same time.
  const result = await retryOnConflict(() => ctx.pool.transaction(work));
  if (result.kind === 'refusal') throw result.error;
  if (result.isNew) await runAfterUserCreated(ctx, caller, result.user);
  await admitted?.join(result.user);
  switch (result.kind) {
    case 'code':
      return withParams(redirectTo, { code: result.code });
    case 'session':
      return `${redirectTo}#${encodeParams(fragmentOf(result.session, tokensFor(response), admitted !== undefined))}`;
  }
}

function fragmentOf(
  session: IssuedSession,
  { accessToken, refreshToken }: Pick<ProviderResponse, 'accessToken' | 'refreshToken'>,
  isOfOrganization: boolean,
): Record<string, string> {
  return {
    ...sessionFragment(session),
    ...(isOfOrganization ? {} : { provider_token: accessToken }),
    ...(refreshToken === '' ? {} : { provider_refresh_token: refreshToken }),
  };
}
