/** GET and POST /callback: the browser comes back from a provider, and goes on to the app. */
import type { AuthContext } from '../context.ts';
import { encodeParams, withParams } from '../core/redirects.ts';
import { toMs } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { tellUserCreated } from '../flows/accounts.ts';
import {
  askBeforeExternalUser,
  type ExternalOutcome,
  identityProof,
  requireIdentifying,
  signInExternally,
} from '../flows/external-accounts.ts';
import { acceptInvite, linkIdentity } from '../flows/external-links.ts';
import { readAnswer } from '../flows/external-sign-in.ts';
import type { ProviderAnswer } from '../flows/provider-answer.ts';
import { type IssuedSession, issueSession, sessionFragment } from '../flows/sessions.ts';
import { isUuid } from '../http/authenticate.ts';
import { audienceOf, type Exchange, header } from '../http/exchange.ts';
import { errorParams } from '../http/redirect-errors.ts';
import { completeOAuthFlow, findOAuthFlow, takeFlowState } from '../queries/flow-states.ts';
import { findUserById } from '../queries/users.ts';
import type { FlowState, User } from '../rows.ts';
import type { Define } from './route.ts';

/** From the moment the browser left. */
const signInLifetimeMs = 300_000;

export function callbackRoutes(define: Define, ctx: AuthContext): void {
  for (const method of ['GET', 'POST'] as const) {
    define(method, '/callback', async (exchange) => {
      const params = callbackParams(exchange);
      let begun: BegunSignIn;
      try {
        begun = await findBegun(ctx, params.get('state') ?? '');
      } catch (error) {
        // Nobody knows where this browser wanted to go.
        return exchange.reply.redirect(
          withParams(ctx.settings.siteUrl, errorParams(ctx, '/auth/v1/callback', error)),
          303,
        );
      }
      const target = begun.flow.referrer || ctx.settings.siteUrl;
      try {
        return exchange.reply.redirect(await finish(ctx, exchange, begun, params, target), 302);
      } catch (error) {
        const said = errorParams(ctx, '/auth/v1/callback', error);
        const fragment = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ''));
        return exchange.reply.redirect(withParams(target, said, { ...fragment, sb: '' }), 302);
      }
    });
  }
}

/** Of the query; a form comes first (response_mode=form_post). */
function callbackParams({ request, query }: Exchange): URLSearchParams {
  const isForm = header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded');
  if (request.method !== 'POST' || !isForm || typeof request.body !== 'string') return query;
  return new URLSearchParams([...new URLSearchParams(request.body), ...query]);
}

interface BegunSignIn {
  readonly flow: FlowState;
  /** Who links an identity. */
  readonly target: User | undefined;
}

/** The sign-in that this state began. @throws {AuthError} when there is none, or it is over. */
async function findBegun(ctx: AuthContext, state: string): Promise<BegunSignIn> {
  if (state === '') throw authError('bad_oauth_callback', 'OAuth state parameter missing');
  if (!isUuid(state)) throw authError('bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await findOAuthFlow(ctx.pool, state);
  if (!flow) throw authError('bad_oauth_state', 'OAuth state not found or expired');
  if (ctx.clock.now() > toMs(flow.created_at) + signInLifetimeMs) {
    throw authError('bad_oauth_state', 'OAuth state has expired');
  }
  if (flow.user_id !== null) throw usedBefore();
  if (flow.linking_target_id === null) return { flow, target: undefined };
  const target = await findUserById(ctx.pool, flow.linking_target_id);
  if (!target) throw authError('user_not_found', 'Linking target user not found', { status: 422 });
  return { flow, target };
}

const usedBefore = () => authError('flow_state_already_used', 'State has already been used');

/** Where the browser goes: with a session in the fragment, or with a code that only the app can redeem (PKCE). */
async function finish(
  ctx: AuthContext,
  exchange: Exchange,
  begun: BegunSignIn,
  params: URLSearchParams,
  redirectTo: string,
): Promise<string> {
  const { flow } = begun;
  const answer = await readAnswer(ctx, flow, params);
  if (answer.profile.emails.length === 0 && !flow.email_optional) {
    throw internalError('Error getting user email from external provider');
  }
  requireIdentifying(answer.profile);
  const signIn = {
    provider: flow.provider_type,
    profile: answer.profile,
    emailOptional: flow.email_optional,
    aud: audienceOf(ctx, exchange),
  };
  if (!begun.target && !flow.invite_token) await askBeforeExternalUser(ctx, exchange, signIn);

  const result = await ctx.pool.transaction(async (tx) => {
    const outcome: ExternalOutcome = begun.target
      ? await linkIdentity(ctx, tx, exchange, begun.target, signIn)
      : flow.invite_token
        ? await acceptInvite(ctx, tx, flow.invite_token, signIn)
        : await signInExternally(ctx, tx, exchange, signIn);
    if (outcome.kind === 'refusal') return outcome;
    const { user, isNew } = outcome;
    if (flow.auth_code === null) {
      if (!(await takeFlowState(tx, flow.id))) throw usedBefore();
      return {
        kind: 'session' as const,
        session: await issueSession(ctx, tx, exchange, user, 'oauth', identityProof(signIn)),
        user,
        isNew,
      };
    }
    const done = { userId: user.id, accessToken: answer.accessToken, refreshToken: answer.refreshToken };
    if (!(await completeOAuthFlow(tx, flow.id, done, ctx.clock.now()))) throw usedBefore();
    return { kind: 'code' as const, code: flow.auth_code, user, isNew };
  });
  if (result.kind === 'refusal') throw result.error;
  if (result.isNew) await tellUserCreated(ctx, exchange, result.user);
  switch (result.kind) {
    case 'code':
      return withParams(redirectTo, { code: result.code });
    case 'session':
      return `${redirectTo}#${encodeParams(fragmentOf(result.session, answer))}`;
  }
}

function fragmentOf(session: IssuedSession, answer: ProviderAnswer): Record<string, string> {
  return {
    ...sessionFragment(session),
    provider_token: answer.accessToken,
    ...(answer.refreshToken === '' ? {} : { provider_refresh_token: answer.refreshToken }),
  };
}
