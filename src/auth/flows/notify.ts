/** Emails that notify a user of a change to the account. */
import type { Transaction } from '../../database/types.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { User } from '../rows.ts';
import { callSendEmailHook, requireAuthorized } from './mail-sending.ts';
import { deliver } from './mail-templates.ts';

export type Notification =
  | 'password_changed'
  | 'email_changed'
  | 'phone_changed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'mfa_factor_enrolled'
  | 'mfa_factor_unenrolled';

/** Notifies the user of a change if the project has enabled the notification. A failure is only logged. */
export async function notify(
  ctx: AuthContext,
  tx: Transaction | undefined,
  caller: Caller,
  user: User,
  kind: Notification,
  details: {
    readonly to?: string;
    readonly oldEmail?: string;
    readonly oldPhone?: string;
    readonly provider?: string;
    readonly factorType?: string;
  } = {},
): Promise<void> {
  const to = details.to ?? user.email ?? '';
  if (!ctx.settings.config.email.notification[kind].enabled || to === '') return;
  try {
    requireAuthorized(ctx, to);
    await ctx.limits.email(ctx.clock.now());
    if (ctx.settings.hooks.send_email.enabled) {
      await callSendEmailHook(ctx, tx, caller, user, {
        redirect_to: caller.redirectTo(),
        email_action_type: `${kind}_notification`,
        old_email: details.oldEmail ?? '',
        old_phone: details.oldPhone ?? '',
        provider: details.provider ?? '',
        factor_type: details.factorType ?? '',
      });
      return;
    }
    await deliver(ctx, `${kind}_notification`, to, {
      SiteURL: ctx.settings.siteUrl,
      Email: kind === 'identity_unlinked' ? to : (user.email ?? ''),
      Data: user.raw_user_meta_data ?? {},
      OldEmail: details.oldEmail ?? '',
      Phone: user.phone ?? '',
      OldPhone: details.oldPhone ?? '',
      Provider: details.provider ?? '',
      FactorType: details.factorType ?? '',
    });
  } catch (error) {
    ctx.log.warn({ userId: user.id, error }, `failed to send the ${kind} notification`);
  }
}
