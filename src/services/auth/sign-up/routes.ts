/** Declares POST /signup. Users sign up with an email address or a phone number, or as a guest without either. */

import { audienceOf } from '../common/caller.ts';
import type { Call, Operation } from '../common/operation.ts';
import { renderUser } from '../common/render-user.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress, requireCaptcha } from '../limits/guards.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { canSignUpWith, type SignUpOutcome, signUp, signUpAnonymously } from './sign-up.ts';

export function signUpRoutes(route: Route): void {
  route(signUpOperation, {
    render: (outcome) =>
      outcome.kind === 'session' ? renderSession(outcome.session) : renderUser(outcome.user),
  });
}

export const signUpOperation: Operation<Call, SignUpOutcome> = {
  on: 'POST /signup',
  guards: [requireCaptcha],
  signIn: 'sign_up',
  async run(ctx, { caller, body }) {
    const fields = body();
    const email = fields.text('email');
    const phone = fields.text('phone');
    const data = fields.object('data') ?? {};
    // Guests have a separate limit, so the body must be read before a limit is applied.
    if (email === '' && phone === '') {
      return { kind: 'session', session: await signUpAnonymously(ctx, caller, data) };
    }
    await ctx.limits.address('signup', caller.ip, ctx.clock.now());
    return signUp(ctx, caller, {
      email,
      phone,
      data,
      aud: audienceOf(ctx, caller),
      password: fields.text('password'),
      channel: fields.text('channel'),
      codeChallenge: fields.text('code_challenge'),
      codeChallengeMethod: fields.text('code_challenge_method'),
    });
  },
};

/**
 * Whether an address can be used for a new account. Returns false for every address if the project conceals accounts.
 * Only the Account pages call this operation, to continue with the sign-up.
 */
export const isNewAddress: Operation<Call & { readonly email: string }, boolean> = {
  on: 'POST /signup',
  guards: [limitByAddress('new_address')],
  run: (ctx, { caller, email }) => canSignUpWith(ctx, email, audienceOf(ctx, caller)),
};
