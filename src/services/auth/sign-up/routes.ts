/** Declares POST /signup. Users sign up with an email address or a phone number, or as a guest without either. */

import { renderUser } from '../common/render-user.ts';
import type { Router } from '../http/route.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { signUpOperation } from './operations.ts';

export function signupRoutes({ serve }: Router): void {
  serve('POST', '/signup', signUpOperation, (outcome) =>
    outcome.kind === 'session' ? renderSession(outcome.session) : renderUser(outcome.user),
  );
}
