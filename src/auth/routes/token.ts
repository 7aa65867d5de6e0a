/** POST /token: sessions for a password, a refresh token or a PKCE code. */
import type { AuthContext } from '../context.ts';
import { barePhone } from '../core/contact.ts';
import type { JsonObject } from '../core/json.ts';
import { checkVerifier } from '../core/pkce.ts';
import { isBanned } from '../core/render-user.ts';
import { toMs } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { verifyTyped } from '../flows/guess.ts';
import { originOf } from '../flows/hand-over.ts';
import { runHook } from '../flows/hooks.ts';
import { weaknessAtSignIn } from '../flows/password-strength.ts';
import { refreshSession } from '../flows/refresh-session.ts';
import { issueSession, renderSession } from '../flows/sessions.ts';
import { requireCaptcha } from '../http/captcha.ts';
import { audienceOf, type Exchange } from '../http/exchange.ts';
import { findFlowStateByCode, takeFlowState } from '../queries/flow-states.ts';
import { deleteSessions, setSessionEnd } from '../queries/sessions.ts';
import { findUserByEmail, findUserById, findUserByPhone } from '../queries/users.ts';
import type { FlowState, User } from '../rows.ts';
import { signInWithIdToken } from './id-token.ts';
import type { Define } from './route.ts';
import { exchangeWalletMessage } from './web3.ts';

/** A code holds this long; magic links count from the click, others from the request. */
const codeLifetimeMs = 300_000;

const grants = new Set(['password', 'refresh_token', 'pkce', 'id_token', 'web3']);

/** What proves these came from somewhere that could ask for one. */
const withoutCaptcha = new Set(['refresh_token', 'pkce', 'id_token']);

export function tokenRoutes(define: Define, ctx: AuthContext): void {
  define('POST', '/token', async (exchange) => {
    const grant = exchange.query.get('grant_type') ?? '';
    if (!withoutCaptcha.has(grant)) await requireCaptcha(ctx, exchange);
    if (!grants.has(grant)) throw authError('invalid_credentials', 'unsupported_grant_type');
    await ctx.limits.address(grant === 'web3' ? 'web3' : 'token', exchange.ip, ctx.clock.now());
    switch (grant) {
      case 'password':
        return signInWithPassword(ctx, exchange);
      case 'refresh_token':
        return renderSession(await refreshSession(ctx, exchange, exchange.body().text('refresh_token')));
      case 'pkce':
        return exchangeCode(ctx, exchange);
      case 'id_token':
        return signInWithIdToken(ctx, exchange);
      default:
        return exchangeWalletMessage(ctx, exchange);
    }
  });
}

async function signInWithPassword(ctx: AuthContext, exchange: Exchange): Promise<JsonObject> {
  const body = exchange.body();
  const email = body.text('email');
  const phone = barePhone(body.text('phone'));
  const password = body.text('password');
  if (email !== '' && phone !== '') {
    throw authError(
      'validation_failed',
      'Only an email address or phone number should be provided on login.',
    );
  }
  const user = await findForLogin(ctx, email, phone, audienceOf(ctx, exchange));
  const guess = { account: user?.id ?? (email.toLowerCase() || phone), ownerId: user?.id };
  const isValid = await verifyTyped(ctx, exchange, 'password', guess, () => isPassword(ctx, user, password));
  if (!user?.encrypted_password) throw authError('invalid_credentials');
  await askPasswordHook(ctx, exchange, user, isValid === true);
  if (!isValid) throw authError('invalid_credentials');
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned');
  if (email !== '' && user.email_confirmed_at === null) throw authError('email_not_confirmed');
  if (phone !== '' && user.phone_confirmed_at === null) throw authError('phone_not_confirmed');

  const session = await ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, user, 'login', { traits: { provider: email !== '' ? 'email' : 'phone' } });
    const hash = user.encrypted_password ?? '';
    const contact = email !== '' ? 'email' : 'phone';
    return issueSession(ctx, tx, exchange, user, 'password', { by: 'password', contact, hash });
  });
  const weak = await weaknessAtSignIn(ctx, password);
  if (!weak) return renderSession(session);
  return renderSession(session, {
    weak_password: { message: weak.message, reasons: [...(weak.weakPasswordReasons ?? [])] },
  });
}

async function isPassword(
  ctx: AuthContext,
  user: User | undefined,
  password: string,
): Promise<true | undefined> {
  const hash = user?.encrypted_password;
  if (hash) return (await ctx.passwords.verify(password, hash)) || undefined;
  await ctx.passwords.pretendToVerify(password);
  return undefined;
}

async function findForLogin(
  ctx: AuthContext,
  email: string,
  phone: string,
  aud: string,
): Promise<User | undefined> {
  const { settings } = ctx;
  if (email === '' && phone === '') throw authError('validation_failed', 'missing email or phone');
  if (email !== '' && !settings.email.enabled)
    throw authError('email_provider_disabled', undefined, { status: 422 });
  if (phone !== '' && !settings.phone.enabled)
    throw authError('phone_provider_disabled', undefined, { status: 422 });
  try {
    return await (email !== ''
      ? findUserByEmail(ctx.pool, email, aud)
      : findUserByPhone(ctx.pool, phone, aud));
  } catch (cause) {
    throw internalError('Database error querying schema', cause);
  }
}

async function askPasswordHook(
  ctx: AuthContext,
  exchange: Exchange,
  user: User,
  valid: boolean,
): Promise<void> {
  if (!ctx.settings.hooks.password_verification_attempt.enabled) return;
  const answer = await runHook(ctx, 'password_verification_attempt', exchange, { user_id: user.id, valid });
  if (answer.decision !== 'reject') return;
  if (answer.should_logout_user === true) await deleteSessions(ctx.pool, user.id);
  const message = typeof answer.message === 'string' && answer.message !== '' ? answer.message : undefined;
  throw authError(
    'invalid_credentials',
    message ?? 'Further password verification attempts will be rejected.',
  );
}

async function exchangeCode(ctx: AuthContext, exchange: Exchange): Promise<JsonObject> {
  const body = exchange.body();
  const code = body.text('auth_code');
  const verifier = body.text('code_verifier');
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
  const session = await ctx.pool.transaction(async (tx) => {
    if (!(await takeFlowState(tx, flow.id))) throw authError('flow_state_not_found');
    await audit(ctx, tx, user, 'login', { traits: { provider_type: flow.provider_type } });
    const method = flow.authentication_method;
    const origin = await originOf(tx, flow);
    const issued = await issueSession(ctx, tx, exchange, user, method, { by: 'flow' }, origin);
    const notAfter = end ?? origin?.not_after ?? undefined;
    if (notAfter !== undefined) await setSessionEnd(tx, issued.sessionId, notAfter);
    return issued;
  });
  return renderSession(session, {
    ...(flow.provider_access_token ? { provider_token: flow.provider_access_token } : {}),
    ...(flow.provider_refresh_token ? { provider_refresh_token: flow.provider_refresh_token } : {}),
  });
}

function codeStartMs(flow: FlowState): number {
  const isMagicLink = flow.authentication_method === 'magiclink';
  return toMs(isMagicLink && flow.auth_code_issued_at !== null ? flow.auth_code_issued_at : flow.created_at);
}
