/** Emails that notify a user of a change to the account. */

import type { Transaction } from '../../database/types.ts';
import { deviceOf } from '../../shared/device.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { mailLanguage, wordsIn } from '../core/default-mails.ts';
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
  | 'mfa_factor_unenrolled'
  | 'passkey_added';

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
    readonly passkey?: string;
  } = {},
): Promise<void> {
  const to = details.to ?? user.email ?? '';
  if (!isEnabled(ctx, caller, kind) || to === '') return;
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
    const data = {
      SiteURL: ctx.settings.siteUrl,
      Email: kind === 'identity_unlinked' ? to : (user.email ?? ''),
      Data: user.raw_user_meta_data ?? {},
      OldEmail: details.oldEmail ?? '',
      Phone: user.phone ?? '',
      OldPhone: details.oldPhone ?? '',
      Provider: details.provider ?? '',
      FactorType: details.factorType ?? '',
      Passkey: details.passkey ?? '',
      ...circumstances(ctx, caller),
    };
    await deliver(ctx, `${kind}_notification`, to, data, caller.pageLanguage);
  } catch (error) {
    ctx.log.warn({ userId: user.id, error }, `failed to send the ${kind} notification`);
  }
}

/**
 * Whether the notification is sent. Upstream has no notification for passkeys, so their setting is the one for second
 * factors. If the passkey was added on the Account pages, the notification is always sent.
 */
function isEnabled({ settings }: AuthContext, caller: Caller, kind: Notification): boolean {
  const { notification } = settings.config.email;
  if (kind !== 'passkey_added') return notification[kind].enabled;
  return notification.mfa_factor_enrolled.enabled || caller.pageLanguage !== undefined;
}

/** Returns the time and the device of a change, and the URL of the page where the user can secure the account. */
function circumstances({ settings, clock }: AuthContext, caller: Caller) {
  const language = mailLanguage(caller.pageLanguage);
  const device = deviceOf(caller.userAgent);
  const time = new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(clock.now());
  return {
    Time: `${time} UTC`,
    Device: device === undefined ? '' : wordsIn(language).deviceName(device.browser, device.system),
    SecureURL: settings.hasAccountPages ? `${settings.accountUrl()}/recover` : '',
  };
}
