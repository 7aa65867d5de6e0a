/** Sends the emails for recovering an account. */

import { audienceOf } from '../common/audience.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { parseEmail } from '../common/contact.ts';
import { contactStatus } from '../common/contact-status.ts';
import type { ReadFields } from '../common/fields.ts';
import { parseChallenge } from '../common/pkce.ts';
import { findUserByEmail } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { insertFlowState } from '../sign-in/flow-states.ts';
import { requireNoSso } from '../sso/enforced.ts';
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
