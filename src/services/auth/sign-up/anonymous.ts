/** Signs up guests, who have no email address or phone number. */

import { audienceOf } from '../common/audience.ts';
import type { Caller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { createUser, draftUser, runAfterUserCreated, runBeforeUserCreated } from './accounts.ts';

/**
 * Creates a guest and the guest's session.
 * @throws {AuthError} anonymous_provider_disabled, signup_disabled, over_request_rate_limit
 */
export async function signUpAnonymously(
  ctx: AuthContext,
  caller: Caller,
  data: JsonObject,
): Promise<IssuedSession> {
  if (!ctx.settings.anonymousEnabled) throw authError('anonymous_provider_disabled');
  await ctx.limits.address('anonymous', caller.ip, ctx.clock.now());
  if (!ctx.settings.signupEnabled) throw authError('signup_disabled');
  const aud = audienceOf(ctx, caller);
  const draft = await draftUser(ctx, { aud, provider: undefined, data });
  await runBeforeUserCreated(ctx, caller, draft);
  const made = ctx.pool.transaction(async (tx) =>
    issueSession(ctx, tx, caller, await createUser(ctx, tx, draft), 'anonymous', { by: 'creation' }),
  );
  const session = await made.catch((cause: unknown) => {
    // If a trigger raised the error, returns the trigger's error, because older clients expect this error.
    const origin = cause instanceof AuthError ? (cause.cause ?? cause) : cause;
    throw internalError('Database error creating anonymous user', origin);
  });
  await runAfterUserCreated(ctx, caller, session.user);
  return session;
}
