/** Declares POST /signup. Users sign up with an email address or a phone number, or as a guest without either. */
import { renderSession } from '../core/issued-session.ts';
import { renderUser } from '../core/render-user.ts';
import { signUpOperation } from '../operations/sign-up.ts';
import type { Router } from './route.ts';

export function signupRoutes({ serve }: Router): void {
  serve('POST', '/signup', signUpOperation, (outcome) =>
    outcome.kind === 'session' ? renderSession(outcome.session) : renderUser(outcome.user),
  );
}
