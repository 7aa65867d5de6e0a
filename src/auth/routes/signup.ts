/** POST /signup: with an email address or a phone number, or as a guest without either. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { askBeforeUserCreated, createUser, draftUser, tellUserCreated } from '../flows/accounts.ts';
import { issueSession, renderSession } from '../flows/sessions.ts';
import { signUp } from '../flows/sign-up.ts';
import { audienceOf, type Exchange } from '../http/exchange.ts';
import type { Define, Handler } from './route.ts';

export function signupRoutes(define: Define, ctx: AuthContext): void {
  const signUpUser: Handler = async (exchange) => {
    const body = exchange.body();
    const email = body.text('email');
    const phone = body.text('phone');
    const data = body.object('data') ?? {};
    const aud = audienceOf(ctx, exchange);
    if (email === '' && phone === '') return signUpAnonymously(ctx, exchange, data, aud);
    await ctx.limits.address('signup', exchange.ip, ctx.clock.now());
    const outcome = await signUp(ctx, exchange, {
      email,
      phone,
      data,
      aud,
      password: body.text('password'),
      channel: body.text('channel'),
      codeChallenge: body.text('code_challenge'),
      codeChallengeMethod: body.text('code_challenge_method'),
    });
    return outcome.kind === 'session' ? renderSession(outcome.session) : outcome.user;
  };
  // Guests have a limit of their own, so the body is read first.
  define('POST', '/signup', signUpUser, { captcha: true });
}

async function signUpAnonymously(
  ctx: AuthContext,
  exchange: Exchange,
  data: JsonObject,
  aud: string,
): Promise<JsonObject> {
  if (!ctx.settings.anonymousEnabled) throw authError('anonymous_provider_disabled');
  await ctx.limits.address('anonymous', exchange.ip, ctx.clock.now());
  if (!ctx.settings.signupEnabled) throw authError('signup_disabled');
  const draft = await draftUser(ctx, { aud, provider: undefined, data });
  await askBeforeUserCreated(ctx, exchange, draft);
  const made = ctx.pool.transaction(async (tx) =>
    issueSession(ctx, tx, exchange, await createUser(ctx, tx, draft), 'anonymous', { by: 'creation' }),
  );
  const session = await made.catch((cause: unknown) => {
    // The cause below is what a trigger raised; it is told to older clients.
    const origin = cause instanceof AuthError ? (cause.cause ?? cause) : cause;
    throw internalError('Database error creating anonymous user', origin);
  });
  await tellUserCreated(ctx, exchange, session.user);
  return renderSession(session);
}
