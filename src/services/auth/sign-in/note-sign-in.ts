/** Records a sign-in in the user's timeline, and notifies the user if the device is new. */
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import type { Proof } from '../common/proof.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { prepareNotice } from '../security-events/notify.ts';
import { recordSignIn } from '../security-events/record.ts';

/**
 * Returns the provider of a sign-in that ended with a code exchange. Because the code doesn't identify the provider,
 * returns the provider of the most recently used identity.
 */
function usedProvider({ identities }: User, method: string): { readonly provider?: string } {
  if (method !== 'oauth') return {};
  const [latest] = (identities ?? [])
    .filter(({ provider }) => provider !== 'email' && provider !== 'phone')
    .sort((one, other) => (other.last_sign_in_at ?? '').localeCompare(one.last_sign_in_at ?? ''));
  return latest === undefined ? {} : { provider: latest.provider };
}

export async function noteSignIn(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  method: string,
  proof: Proof,
): Promise<void> {
  const provider = proof.by === 'identity' ? { provider: proof.provider } : usedProvider(user, method);
  const event = await recordSignIn(ctx, tx, caller, user.id, { method, ...provider });
  if (event?.details.new_device !== true || user.email_confirmed_at === null) return;
  const notice = await prepareNotice(ctx, tx, caller, user, 'new_device', { event });
  // Sends the email in the background, so that the response for a new device takes no longer than the response for a
  // known device.
  if (notice) await ctx.backgroundWork.do(true, () => notice.send());
}
