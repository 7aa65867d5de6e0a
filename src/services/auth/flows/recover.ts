/** Sends the emails for recovering an account. */

import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail } from '../core/contact.ts';
import { contactStatus } from '../core/contact-status.ts';
import type { ReadFields } from '../core/fields.ts';
import { parseChallenge } from '../core/pkce.ts';
import { authError } from '../errors.ts';
import { insertFlowState } from '../queries/flow-states.ts';
import { findUserByEmail } from '../queries/users.ts';
import { audienceOf } from './audience.ts';
import { audit } from './audit.ts';
import { requireNoSso } from './enforced-sso.ts';
import { sendTokenMail } from './mail-tokens.ts';

/**
 * Sends a recovery code and link. The response is the same for addresses that belong to no account.
 * @throws {AuthError} validation_failed
 */
export async function recover(ctx: AuthContext, caller: Caller, body: ReadFields): Promise<void> {
  if (!ctx.settings.email.enabled) throw authError('email_provider_disabled');
  const fields = body();
  if (fields.text('email') === '')
    throw authError('validation_failed', 'Password recovery requires an email');
  const email = parseEmail(fields.text('email'));
  const challenge = parseChallenge(fields.text('code_challenge'), fields.text('code_challenge_method'));
  await requireNoSso(ctx, ctx.pool, email);
  const user = await findUserByEmail(ctx.pool, email, audienceOf(ctx, caller));
  if (!user || contactStatus(user, 'email') === 'closed') return;
  await ctx.backgroundWork.do(ctx.settings.email.hidesAccounts, async () => {
    if (challenge) {
      const flow = { userId: user.id, providerType: 'recovery', authenticationMethod: 'recovery', challenge };
      await insertFlowState(ctx.pool, flow, ctx.clock.now());
    }
    await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'user_recovery_requested');
      await sendTokenMail(ctx, tx, caller, user, 'recovery', challenge !== undefined);
    });
  });
}
