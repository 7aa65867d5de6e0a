/** Sends the code that confirms a new account. */
import type { Transaction } from '../../../platform/database/types.ts';
import { sendTokenMail } from '../codes/mail-tokens.ts';
import { sendPhoneCode } from '../codes/phone-codes.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { insertFlowState } from '../sign-in/flow-states.ts';
import type { CheckedSignUp } from './check.ts';

export async function requestConfirmation(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, checked }: { readonly user: User; readonly checked: CheckedSignUp },
): Promise<void> {
  const { provider, phone, channel, challenge } = checked;
  await audit(ctx, tx, user, { action: 'user_confirmation_requested', traits: { provider } });
  if (provider === 'phone') {
    await sendPhoneCode(ctx, tx, caller, { user, phone, kind: 'confirmation', channel });
    return;
  }
  if (challenge) {
    const flow = {
      userId: user.id,
      providerType: 'email',
      authenticationMethod: 'email/signup',
      challenge,
    };
    await insertFlowState(tx, flow, ctx.clock.now());
  }
  await sendTokenMail(ctx, tx, caller, { user, kind: 'signup', isPkce: challenge !== undefined });
}
