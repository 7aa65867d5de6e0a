/** POST /signup: with an email address or a phone number, or as a guest without either. */

import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import { signUpAnonymously } from '../flows/anonymous-sign-up.ts';
import { audienceOf } from '../flows/audience.ts';
import { signUp } from '../flows/sign-up.ts';
import type { Define, Handler } from './route.ts';

export function signupRoutes(define: Define, ctx: AuthContext): void {
  const signUpUser: Handler = async ({ caller, body }) => {
    const fields = body();
    const email = fields.text('email');
    const phone = fields.text('phone');
    const data = fields.object('data') ?? {};
    if (email === '' && phone === '') return renderSession(await signUpAnonymously(ctx, caller, data));
    await ctx.limits.address('signup', caller.ip, ctx.clock.now());
    const outcome = await signUp(ctx, caller, {
      email,
      phone,
      data,
      aud: audienceOf(ctx, caller),
      password: fields.text('password'),
      channel: fields.text('channel'),
      codeChallenge: fields.text('code_challenge'),
      codeChallengeMethod: fields.text('code_challenge_method'),
    });
    return outcome.kind === 'session' ? renderSession(outcome.session) : outcome.user;
  };
  // Guests have a separate limit, so the handler reads the body before it applies a limit.
  define('POST', '/signup', signUpUser, { captcha: true });
}
