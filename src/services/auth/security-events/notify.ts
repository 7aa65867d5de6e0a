/** Emails that notify users of a change to their account, or of a sign-in on a new device. */

import { deviceOf, providerName } from '../../../base/shared/account.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import type { User } from '../common/rows.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { deviceNameIn, mailLanguage } from '../messages/defaults.ts';
import { accountUrlFor, secureUrl } from '../messages/links.ts';
import { callSendEmailHook, requireAuthorized } from '../messages/sending.ts';
import { deliver } from '../messages/templates.ts';
import { approximateAddress, type SecurityEvent } from './events.ts';
import { addReversal, recordEvent } from './record.ts';

const upstreamNotifications = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const;

type UpstreamNotification = (typeof upstreamNotifications)[number];
export type Notification =
  | UpstreamNotification
  | 'passkey_added'
  | 'new_device'
  | 'app_connected'
  | 'api_key_created'
  | 'sign_in_locked'
  | 'account_secured'
  | 'recovery_code_used'
  | 'factor_removal_requested'
  | 'factor_removal_confirmed'
  | 'factors_reset'
  | 'account_deleted';

/** Notices that are always sent, because users need to act on them or because they protect the second factor. */
const required: ReadonlySet<Notification> = new Set([
  'factor_removal_requested',
  'factor_removal_confirmed',
  'factors_reset',
]);

export interface NoticeDetails {
  readonly user: User;
  readonly kind: Notification;
  /** The transaction of the change. The link that undoes the change is stored in this transaction. */
  readonly tx?: Transaction | undefined;
  /** The address that receives the notice. Defaults to the user's address. */
  readonly to?: string;
  readonly oldEmail?: string;
  readonly oldPhone?: string;
  readonly provider?: string;
  readonly factorType?: string;
  readonly passkey?: string;
  /** Whether the account had no password before. */
  readonly isFirst?: boolean;
  readonly app?: string;
  /** The name of an API key. */
  readonly apiKey?: string;
  /** The URL of the page that ends a lockout. */
  readonly unlockUrl?: string;
  /** The URL of the page that confirms a request. */
  readonly confirmUrl?: string;
  /** The time at which a change takes effect. */
  readonly dueMs?: number;
  /** The event that the notice describes. If set, the notice contains a link that undoes the change. */
  readonly event?: SecurityEvent | undefined;
  /** Whether only Plinth has a notice for this change, which `[auth.email.notification]` therefore can't enable. */
  readonly isOnlyOurs?: boolean;
}

export interface Notice {
  /** Sends the email. If sending fails, only logs the error. */
  send(): Promise<void>;
}

/** Notifies the user of a change if the project has enabled the notice. If sending fails, only logs the error. */
export async function notify(ctx: AuthContext, caller: Caller, details: NoticeDetails): Promise<void> {
  await (await prepareNotice(ctx, caller, details))?.send();
}

/**
 * Stores the link that undoes the change and returns the email. Returns undefined if the project hasn't enabled the
 * notice.
 */
export async function prepareNotice(
  ctx: AuthContext,
  caller: Caller,
  details: NoticeDetails,
): Promise<Notice | undefined> {
  const { user, kind, tx, to = user.email ?? '', event } = details;
  if (to === '' || !isEnabled(ctx, caller, details)) return undefined;
  const revertUrl = await revertLink(ctx, caller, { db: tx ?? ctx.pool, event });
  return {
    async send() {
      try {
        requireAuthorized(ctx, to);
        if (!(await ctx.limits.notice(user.id, kind, ctx.clock.now()))) return;
        await sendNotice(ctx, caller, { ...details, to, revertUrl });
      } catch (error) {
        ctx.log.warn({ userId: user.id, error }, `failed to send the ${kind} notification`);
      }
    },
  };
}

async function sendNotice(
  ctx: AuthContext,
  caller: Caller,
  details: NoticeDetails & { readonly to: string; readonly revertUrl: string },
): Promise<void> {
  const { user, kind, tx, to, revertUrl, unlockUrl = '', confirmUrl = '', dueMs } = details;
  if (ctx.settings.hooks.send_email.enabled) {
    // A sign-in notice is sent after the sign-in's transaction has ended.
    await callSendEmailHook(ctx, kind === 'new_device' ? undefined : tx, caller, {
      user,
      emailData: {
        redirect_to: caller.redirectTo(),
        email_action_type: `${kind}_notification`,
        old_email: details.oldEmail ?? '',
        old_phone: details.oldPhone ?? '',
        provider: details.provider ?? '',
        factor_type: details.factorType ?? '',
        // Unless the project enabled the notices, the hook receives the same data as from GoTrue, which has no required
        // notices.
        ...(revertUrl !== '' && (required.has(kind) || isOurs(ctx, caller)) ? { revert_url: revertUrl } : {}),
        ...(unlockUrl === '' ? {} : { unlock_url: unlockUrl }),
        ...(confirmUrl === '' ? {} : { confirm_url: confirmUrl }),
      },
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
    ProviderName: providerName(details.provider ?? ''),
    FactorType: details.factorType ?? '',
    Passkey: details.passkey ?? '',
    IsFirstPassword: details.isFirst === true,
    App: details.app ?? '',
    ApiKey: details.apiKey ?? '',
    UnlockURL: unlockUrl,
    ConfirmationURL: confirmUrl,
    Due: dueMs === undefined ? '' : timeInWords(dueMs, caller.pageLanguage),
    RevertURL: revertUrl,
    ...circumstances(ctx, caller),
  };
  await deliver(ctx, `${kind}_notification`, { to, data, pageLanguage: caller.pageLanguage });
}

/**
 * Whether the settings enable the notice. `[auth.email.notification]` enables upstream's notices. The setting
 * `mfa_factor_enrolled` in that section also enables the passkey notice. `[auth.security] notices` enables notices
 * regardless of `[auth.email.notification]`.
 */
function isEnabled(ctx: AuthContext, caller: Caller, { kind, isOnlyOurs }: NoticeDetails): boolean {
  if (required.has(kind) || isOurs(ctx, caller)) return true;
  if (isOnlyOurs === true) return false;
  const { notification } = ctx.settings.config.email;
  if (kind === 'passkey_added') return notification.mfa_factor_enrolled.enabled;
  const known = upstreamNotifications.find((each) => each === kind);
  return known !== undefined && notification[known].enabled;
}

/** Whether `[auth.security] notices` enables notices for changes made by this caller. */
function isOurs({ settings }: AuthContext, { pageLanguage }: Caller): boolean {
  const { notices } = settings.security;
  return notices === 'always' || (notices === 'account' && pageLanguage !== undefined);
}

/**
 * Returns the link that undoes the change. Without an event, returns the URL of the page where the user chooses a new
 * password.
 */
async function revertLink(
  ctx: AuthContext,
  caller: Caller,
  { db, event }: { readonly db: Queryable; readonly event: SecurityEvent | undefined },
): Promise<string> {
  if (!ctx.settings.hasAccountPages) return '';
  if (event === undefined) return secureUrl(ctx, caller);
  return `${accountUrlFor(ctx, caller)}/not-me?token=${await addReversal(ctx, db, event)}`;
}

/** The minimum interval between two lockout emails, so that an attacker can't flood the mailbox. */
const reportEveryMs = 6 * 3_600_000;

/**
 * Notifies the owner that sign-ins in new browsers are blocked because of too many wrong attempts. Runs in the
 * background, so that the response doesn't reveal that the account exists.
 */
export async function reportLockout(ctx: AuthContext, caller: Caller, userId: string): Promise<void> {
  await ctx.backgroundWork.do(true, async () => {
    if (!ctx.hasOwnTables) return;
    if (!(await ctx.limits.once(`locked:${userId}`, reportEveryMs, ctx.clock.now()))) return;
    const user = await findUserById(ctx.pool, userId);
    if (user === undefined) return;
    const event = await recordEvent(ctx, ctx.pool, caller, { userId: user.id, kind: 'locked' });
    if (event === undefined || user.email_confirmed_at === null || !ctx.settings.hasAccountPages) return;
    const token = await addReversal(ctx, ctx.pool, event);
    const unlockUrl = `${accountUrlFor(ctx, caller)}/unlock?token=${token}`;
    const notice = await prepareNotice(ctx, caller, { user, kind: 'sign_in_locked', unlockUrl });
    await notice?.send();
  });
}

/** Formats a time in words, in UTC because the recipient's time zone is unknown. */
export function timeInWords(ms: number, pageLanguage: string | undefined): string {
  const time = new Intl.DateTimeFormat(`${mailLanguage(pageLanguage)}-u-nu-latn`, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  }).format(ms);
  return `${time} UTC`;
}

/** Returns the time and device of a change, and the URL where the user can secure the account. */
export function circumstances(ctx: AuthContext, caller: Caller) {
  const device = deviceOf(caller.userAgent);
  return {
    Time: timeInWords(ctx.clock.now(), caller.pageLanguage),
    Device: device === undefined ? '' : deviceNameIn(mailLanguage(caller.pageLanguage), device),
    Network: approximateAddress(caller.ip) ?? '',
    SecureURL: secureUrl(ctx, caller),
  };
}
