/** Sends the emails with which users confirm a change of their email address, and stores the pending change. */
import type { Transaction } from '../../../platform/database/types.ts';
import { setOneTimeToken } from '../codes/queries.ts';
import type { Caller } from '../common/caller.ts';
import { withFlowPrefix } from '../common/pkce.ts';
import type { User } from '../common/rows.ts';
import { linkHash, oneTimePassword, tokenHash } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { cancelLink, linkData } from '../messages/links.ts';
import { callSendEmailHook, claimEmail, requireAuthorized, wrapFailure } from '../messages/sending.ts';
import { deliver, type TemplateName } from '../messages/templates.ts';

/** Sends codes to the new address and, with double confirmation, also to the old address. */
export async function sendEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, newEmail, isPkce }: { readonly user: User; readonly newEmail: string; readonly isPkce: boolean },
): Promise<void> {
  const now = ctx.clock.now();
  await claimEmail(ctx, tx, user, 'email_change_sent_at');
  const length = ctx.settings.email.otpLength;
  const oldEmail = user.email ?? '';
  const isDouble = ctx.settings.email.doubleConfirmChanges && oldEmail !== '' && oldEmail !== newEmail;
  const otpNew = oneTimePassword(length);
  const otpOld = isDouble ? oneTimePassword(length) : '';
  const proofOf = (email: string, otp: string): ProofHashes => ({
    code: withFlowPrefix(tokenHash(email, otp), isPkce),
    link: withFlowPrefix(linkHash(email), isPkce),
  });
  const proofNew = proofOf(newEmail, otpNew);
  const proofOld = proofOf(oldEmail, otpOld);
  user.email_change = newEmail;
  await wrapFailure('Error sending email change email', async () => {
    requireAuthorized(ctx, newEmail);
    // The old address is checked as well, because it may have been stored before the list of authorized addresses
    // existed.
    if (isDouble) requireAuthorized(ctx, oldEmail);
    await ctx.limits.email(now);
    const redirectTo = caller.redirectTo();
    if (ctx.settings.hooks.send_email.enabled) {
      // The token for each address is sent together with the hash for the other address, as in upstream.
      return callSendEmailHook(ctx, tx, caller, {
        user,
        emailData: {
          token: isDouble ? otpOld : otpNew,
          token_hash: proofNew.link,
          redirect_to: redirectTo,
          email_action_type: 'email_change',
          ...(isDouble ? { token_new: otpNew, token_hash_new: proofOld.link } : {}),
        },
      });
    }
    const common = {
      SiteURL: ctx.settings.siteUrl,
      Email: oldEmail,
      NewEmail: newEmail,
      Data: user.raw_user_meta_data ?? {},
    };
    const send = (template: TemplateName, to: string, data: { readonly Token: string }, hash: string) => {
      const link = linkData(ctx, { hash, type: 'email_change', redirectTo });
      return deliver(ctx, template, {
        to,
        data: { ...common, SendingTo: to, ...link, ...data },
        pageLanguage: caller.pageLanguage,
      });
    };
    await send('email_change', newEmail, { Token: otpNew }, proofNew.link);
    if (isDouble) {
      const cancel = { Token: otpOld, CancelURL: cancelLink(ctx, caller, proofOld.link) };
      await send('email_change_current', oldEmail, cancel, proofOld.link);
    }
  });
  await storeEmailChange(ctx, tx, user, {
    newEmail,
    new: proofNew,
    ...(isDouble ? { current: proofOld } : {}),
  });
}

/** The hashes that are stored for the code and for the link in one email. */
interface ProofHashes {
  readonly code: string;
  readonly link: string;
}

/** Stores a pending email change. The code and the link of an address without new hashes stay valid. */
export async function storeEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  change: {
    readonly newEmail: string;
    readonly new?: ProofHashes;
    readonly current?: ProofHashes;
  },
): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(
    tx,
    user,
    {
      email_change_token_current: change.current?.code ?? user.email_change_token_current ?? '',
      email_change_token_new: change.new?.code ?? user.email_change_token_new ?? '',
      email_change: change.newEmail,
      email_change_sent_at: fromMs(now),
      email_change_confirm_status: 0,
    },
    now,
  );
  if (change.current)
    await setOneTimeToken(tx, {
      userId: user.id,
      type: 'email_change_token_current',
      hash: change.current.link,
      relatesTo: user.email ?? '',
    });
  if (change.new)
    await setOneTimeToken(tx, {
      userId: user.id,
      type: 'email_change_token_new',
      hash: change.new.link,
      relatesTo: change.newEmail,
    });
}
