/**
 * Emails with a code and a link. As in upstream, the hash of the code is stored twice: in a column of the user for
 * typed codes, and as a one-time token for links.
 */
import type { Transaction } from '../../database/types.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { actionLink, confirmPageLink, type LinkType } from '../core/action-link.ts';
import { isAuthorized } from '../core/mail-addresses.ts';
import { withFlowPrefix } from '../core/pkce.ts';
import { isBelow } from '../core/redirects.ts';
import { renderUser } from '../core/render-user.ts';
import { oneTimePassword, tokenHash } from '../core/secrets.ts';
import { fromMs, toMs } from '../core/times.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { setOneTimeToken } from '../queries/one-time-tokens.ts';
import { updateUser } from '../queries/users.ts';
import { requirePause } from '../rate-limits.ts';
import type { User } from '../rows.ts';
import { runHook } from './hooks.ts';
import { deliver, type TemplateName } from './mail-templates.ts';

export type TokenMailKind = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'reauthentication';

interface KindOfMail {
  readonly column: 'confirmation_token' | 'recovery_token' | 'reauthentication_token';
  readonly sentColumn: 'confirmation_sent_at' | 'recovery_sent_at' | 'reauthentication_sent_at';
  readonly template: TemplateName;
  readonly failure: string;
}

const kinds: Readonly<Record<TokenMailKind, KindOfMail>> = {
  signup: {
    column: 'confirmation_token',
    sentColumn: 'confirmation_sent_at',
    template: 'confirmation',
    failure: 'Error sending confirmation email',
  },
  invite: {
    column: 'confirmation_token',
    sentColumn: 'confirmation_sent_at',
    template: 'invite',
    failure: 'Error sending invite email',
  },
  recovery: {
    column: 'recovery_token',
    sentColumn: 'recovery_sent_at',
    template: 'recovery',
    failure: 'Error sending recovery email',
  },
  magiclink: {
    column: 'recovery_token',
    sentColumn: 'recovery_sent_at',
    template: 'magic_link',
    failure: 'Error sending magic link email',
  },
  reauthentication: {
    column: 'reauthentication_token',
    sentColumn: 'reauthentication_sent_at',
    template: 'reauthentication',
    failure: 'Error sending reauthentication email',
  },
};

/** Sends a code and stores its hash. Throws `over_email_send_rate_limit`. */
export async function sendTokenMail(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  kind: TokenMailKind,
  isPkce = false,
): Promise<void> {
  const { column, sentColumn, failure } = kinds[kind];
  const now = ctx.clock.now();
  const email = user.email ?? '';
  if (kind !== 'invite') requireMailPause(ctx, user[sentColumn]);
  const otp = oneTimePassword(ctx.settings.email.otpLength);
  const hash = withFlowPrefix(tokenHash(email, otp), isPkce);
  await wrapFailure(failure, () => sendOne(ctx, tx, caller, user, kind, otp, hash));
  const invited = kind === 'invite' ? { invited_at: fromMs(now) } : {};
  await updateUser(tx, user, { [column]: hash, [sentColumn]: fromMs(now), ...invited }, now);
  await setOneTimeToken(tx, user.id, column, hash, email);
}

async function sendOne(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  kind: TokenMailKind,
  otp: string,
  hash: string,
): Promise<void> {
  requireAuthorized(ctx, user.email ?? '');
  await ctx.limits.email(ctx.clock.now());
  const redirectTo = caller.redirectTo();
  if (ctx.settings.hooks.send_email.enabled) {
    const emailData = { token: otp, token_hash: hash, redirect_to: redirectTo, email_action_type: kind };
    return callSendEmailHook(ctx, tx, caller, user, emailData);
  }
  const data = {
    SiteURL: ctx.settings.siteUrl,
    Email: user.email ?? '',
    Token: otp,
    Data: user.raw_user_meta_data ?? {},
  };
  const link = kind === 'reauthentication' ? {} : linkData(ctx, hash, kind, redirectTo);
  await deliver(ctx, kinds[kind].template, user.email ?? '', { ...data, ...link });
}

function linkData(ctx: AuthContext, hash: string, type: LinkType, redirectTo: string) {
  const { externalUrl, accountUrl, mail } = ctx.settings;
  // A flow that started on the Account pages ends there.
  const hasButton = mail.confirmsByButton || isBelow(redirectTo, accountUrl());
  return {
    ConfirmationURL: hasButton
      ? confirmPageLink(accountUrl(), hash, type, redirectTo)
      : actionLink(externalUrl(), hash, type, redirectTo),
    TokenHash: hash,
    RedirectTo: redirectTo,
  };
}

/** Sends codes to the new address and, with double confirmation, to the old one. */
export async function sendEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  newEmail: string,
  isPkce: boolean,
): Promise<void> {
  const now = ctx.clock.now();
  requireMailPause(ctx, user.email_change_sent_at);
  const length = ctx.settings.email.otpLength;
  const oldEmail = user.email ?? '';
  const isDouble = ctx.settings.email.doubleConfirmChanges && oldEmail !== '' && oldEmail !== newEmail;
  const otpNew = oneTimePassword(length);
  const otpOld = isDouble ? oneTimePassword(length) : '';
  const hashNew = withFlowPrefix(tokenHash(newEmail, otpNew), isPkce);
  const hashOld = isDouble ? withFlowPrefix(tokenHash(oldEmail, otpOld), isPkce) : '';
  user.email_change = newEmail;
  await wrapFailure('Error sending email change email', async () => {
    requireAuthorized(ctx, newEmail);
    // The account may be older than the list of authorized addresses.
    if (isDouble) requireAuthorized(ctx, oldEmail);
    await ctx.limits.email(now);
    const redirectTo = caller.redirectTo();
    if (ctx.settings.hooks.send_email.enabled) {
      // Upstream swaps these: the token for the old address is sent with the hash for the new one.
      return callSendEmailHook(ctx, tx, caller, user, {
        token: isDouble ? otpOld : otpNew,
        token_hash: hashNew,
        redirect_to: redirectTo,
        email_action_type: 'email_change',
        ...(isDouble ? { token_new: otpNew, token_hash_new: hashOld } : {}),
      });
    }
    const common = {
      SiteURL: ctx.settings.siteUrl,
      Email: oldEmail,
      NewEmail: newEmail,
      Data: user.raw_user_meta_data ?? {},
    };
    const send = (to: string, otp: string, hash: string) =>
      deliver(ctx, 'email_change', to, {
        ...common,
        Token: otp,
        SendingTo: to,
        ...linkData(ctx, hash, 'email_change', redirectTo),
      });
    await send(newEmail, otpNew, hashNew);
    if (isDouble) await send(oldEmail, otpOld, hashOld);
  });
  await storeEmailChange(ctx, tx, user, { newEmail, hashNew, hashOld: isDouble ? hashOld : undefined });
}

/** Stores a pending email change. If there is no new hash for an address, the existing one is kept. */
export async function storeEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  change: {
    readonly newEmail: string;
    readonly hashNew: string | undefined;
    readonly hashOld: string | undefined;
  },
): Promise<void> {
  const now = ctx.clock.now();
  const hashOld = change.hashOld ?? user.email_change_token_current ?? '';
  const hashNew = change.hashNew ?? user.email_change_token_new ?? '';
  await updateUser(
    tx,
    user,
    {
      email_change_token_current: hashOld,
      email_change_token_new: hashNew,
      email_change: change.newEmail,
      email_change_sent_at: fromMs(now),
      email_change_confirm_status: 0,
    },
    now,
  );
  if (hashOld !== '')
    await setOneTimeToken(tx, user.id, 'email_change_token_current', hashOld, user.email ?? '');
  if (hashNew !== '') await setOneTimeToken(tx, user.id, 'email_change_token_new', hashNew, change.newEmail);
}

export type Notification =
  | 'password_changed'
  | 'email_changed'
  | 'phone_changed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'mfa_factor_enrolled'
  | 'mfa_factor_unenrolled';

/** Notifies the user of a change if the project enables the notification. A failure is only logged. */
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

type EmailData = Readonly<Record<string, string>>;

async function callSendEmailHook(
  ctx: AuthContext,
  tx: Transaction | undefined,
  caller: Caller,
  user: User,
  emailData: EmailData,
): Promise<void> {
  const email_data = {
    token: '',
    token_hash: '',
    redirect_to: '',
    email_action_type: '',
    // The address of this service, under upstream's name.
    site_url: ctx.settings.externalUrl(),
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...emailData,
  };
  await runHook(ctx, 'send_email', caller, { user: renderUser(user), email_data }, tx);
}

/** Throws `email_address_not_authorized`. */
function requireAuthorized(ctx: AuthContext, email: string): void {
  if (email === '' || isAuthorized(email, ctx.settings.mail.authorizedAddresses)) return;
  throw authError(
    'email_address_not_authorized',
    `Email address ${JSON.stringify(email)} cannot be used as it is not authorized`,
  );
}

function requireMailPause(ctx: AuthContext, sentAt: string | null): void {
  const sentAtMs = sentAt === null ? undefined : toMs(sentAt);
  requirePause(sentAtMs, ctx.settings.email.maxFrequencyMs, ctx.clock.now(), 'over_email_send_rate_limit');
}

async function wrapFailure(message: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError(message, cause);
  }
}
