/**
 * Sends emails with a code and a link. The code's hash is stored in a column of the user's row, as in upstream. The
 * link has a separate hash, which is stored as a one-time token.
 */
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { withFlowPrefix } from '../common/pkce.ts';
import type { User } from '../common/rows.ts';
import { linkHash, oneTimePassword, tokenHash } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { type LinkType, linkData, secureUrl } from '../messages/links.ts';
import { callSendEmailHook, claimEmail, requireAuthorized, wrapFailure } from '../messages/sending.ts';
import { deliver, type TemplateName } from '../messages/templates.ts';
import { circumstances } from '../security-events/notify.ts';
import { setOneTimeToken } from './queries.ts';

export type TokenMailKind =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  /** A sign-in code for a user who signs up again. */
  | 'existing_account'
  /** A sign-in code that confirms a new device after a correct password. */
  | 'new_device'
  | 'reauthentication';

interface KindOfMail {
  readonly column: 'confirmation_token' | 'recovery_token' | 'reauthentication_token';
  readonly sentColumn: 'confirmation_sent_at' | 'recovery_sent_at' | 'reauthentication_sent_at';
  readonly template: TemplateName;
  /**
   * The type in the link, if it differs from the name of the email's kind. The `send_email` hook also receives this
   * type.
   */
  readonly linkType?: 'magiclink';
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
  existing_account: {
    column: 'recovery_token',
    sentColumn: 'recovery_sent_at',
    template: 'existing_account',
    linkType: 'magiclink',
    failure: 'Error sending magic link email',
  },
  new_device: {
    column: 'recovery_token',
    sentColumn: 'recovery_sent_at',
    template: 'magic_link',
    linkType: 'magiclink',
    failure: 'Error sending magic link email',
  },
  reauthentication: {
    column: 'reauthentication_token',
    sentColumn: 'reauthentication_sent_at',
    template: 'reauthentication',
    failure: 'Error sending reauthentication email',
  },
};

interface TokenMail {
  readonly user: User;
  readonly kind: TokenMailKind;
  readonly isPkce?: boolean;
}

/** Sends a code and stores its hash. Throws `over_email_send_rate_limit`. */
export async function sendTokenMail(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, kind, isPkce = false }: TokenMail,
): Promise<void> {
  const { column, sentColumn, failure } = kinds[kind];
  const now = ctx.clock.now();
  const email = user.email ?? '';
  if (kind !== 'invite') await claimEmail(ctx, tx, user, sentColumn);
  const otp = oneTimePassword(ctx.settings.email.otpLength);
  const hash = withFlowPrefix(tokenHash(email, otp), isPkce);
  const ofLink = withFlowPrefix(linkHash(email), isPkce);
  await wrapFailure(failure, () => sendOne(ctx, tx, caller, { user, kind, otp, hash: ofLink }));
  const invited = kind === 'invite' ? { invited_at: fromMs(now) } : {};
  await updateUser(tx, user, { [column]: hash, [sentColumn]: fromMs(now), ...invited }, now);
  await setOneTimeToken(tx, { userId: user.id, type: column, hash: ofLink, relatesTo: email });
}

async function sendOne(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, kind, otp, hash }: TokenMail & { readonly otp: string; readonly hash: string },
): Promise<void> {
  requireAuthorized(ctx, user.email ?? '');
  await ctx.limits.email(ctx.clock.now());
  const redirectTo = caller.redirectTo();
  const { template, linkType = kind } = kinds[kind];
  if (ctx.settings.hooks.send_email.enabled) {
    const emailData = { token: otp, token_hash: hash, redirect_to: redirectTo, email_action_type: linkType };
    return callSendEmailHook(ctx, tx, caller, { user, emailData });
  }
  const data = {
    SiteURL: ctx.settings.siteUrl,
    Email: user.email ?? '',
    Token: otp,
    Data: user.raw_user_meta_data ?? {},
    IsNewDevice: kind === 'new_device',
    ...(kind === 'new_device' ? circumstances(ctx, caller) : {}),
  };
  const link = isLinkType(linkType)
    ? linkData(ctx, { hash, type: linkType, redirectTo })
    : { SecureURL: secureUrl(ctx, caller) };
  await deliver(ctx, template, {
    to: user.email ?? '',
    data: { ...data, ...link },
    pageLanguage: caller.pageLanguage,
  });
}

/** Whether emails of this kind contain a link. Reauthentication emails contain only a code. */
const isLinkType = (type: TokenMailKind): type is TokenMailKind & LinkType => type !== 'reauthentication';
