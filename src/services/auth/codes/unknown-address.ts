/**
 * Handles codes and links that are requested for an address to which no code can be sent, usually because it has no
 * account. The Account pages promise an email, so the email says that there isn't an account and links to the sign-up.
 * For other clients, no email is sent, as in upstream.
 */
import { createHash } from 'node:crypto';
import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { Caller } from '../common/caller.ts';
import type { Contact } from '../common/contact.ts';
import { isBelow } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { requireAuthorized, wrapFailure } from '../messages/sending.ts';
import { deliver } from '../messages/templates.ts';

/** Emails an address that belongs to no account. */
export async function mailUnknownAddress(ctx: AuthContext, caller: Caller, email: string): Promise<void> {
  const { clock, limits, settings } = ctx;
  if (caller.pageLanguage === undefined) return countUnsentMessage(ctx, 'email', email);
  if (!(await startPause(ctx, 'email', email, 'code'))) return;
  await limits.email(clock.now());
  // The hook can't send this email, because the hook requires a user.
  if (settings.hooks.send_email.enabled) return;
  requireAuthorized(ctx, email);
  await wrapFailure('Error sending magic link email', () =>
    deliver(ctx, 'no_account', {
      to: email,
      data: {
        SiteURL: settings.siteUrl,
        Email: email,
        Data: {},
        CanSignUp: settings.signupEnabled,
        ConfirmationURL: nextPage(ctx, caller.redirectTo()),
      },
      pageLanguage: caller.pageLanguage,
    }),
  );
}

/**
 * The kinds of messages that have separate pauses, because an account also has a separate pause for each kind. A code
 * can be for a sign-in or a new password.
 */
export type UnsentKind = 'code' | 'sign-up' | 'change';

/**
 * Counts a message that isn't sent toward the limit for all messages, if the project conceals accounts. Otherwise, an
 * attacker could use up the limit except for one message, request a code for an address, and then learn from a message
 * to their own address whether a code was sent.
 */
export async function countUnsentMessage(
  ctx: AuthContext,
  contact: Contact,
  address: string,
  kind: UnsentKind = 'code',
): Promise<void> {
  if (!ctx.settings[contact].hidesAccounts || !(await startPause(ctx, contact, address, kind))) return;
  await ctx.limits[contact === 'email' ? 'email' : 'sms'](ctx.clock.now());
}

/**
 * Returns the kind of an email about a sign-up with an address. The Account pages send a sign-in code to the owner of an
 * account (`mailExistingAccount`).
 */
export const signUpKind = ({ pageLanguage }: Pick<Caller, 'pageLanguage'>): UnsentKind =>
  pageLanguage === undefined ? 'sign-up' : 'code';

/** Whether the pause between two messages to an address is over. Accounts have the same pauses (`claimEmail`). */
async function startPause(
  { clock, limits, settings }: AuthContext,
  contact: Contact,
  address: string,
  kind: UnsentKind,
): Promise<boolean> {
  const { maxFrequencyMs } = settings[contact];
  if (maxFrequencyMs <= 0) return true;
  // The limits are stored in the database, which shouldn't contain the addresses of people without an account.
  const digest = createHash('sha256').update(address).digest('base64url');
  return limits.once(`unsent:${kind}:${digest}`, maxFrequencyMs, clock.now());
}

/** Returns the URL of the sign-up page, or of the sign-in page if the project doesn't accept sign-ups. */
function nextPage({ settings }: AuthContext, redirectTo: string): string {
  const page = settings.signupEnabled ? 'sign-up' : 'sign-in';
  const accountUrl = settings.accountUrl();
  if (!isBelow(redirectTo, accountUrl)) return `${accountUrl}/${page}`;
  // The query contains the app's request, with which the sign-up continues.
  const { host, search } = new URL(redirectTo);
  return `${keepLoopbackName(accountUrl, host)}/${page}${search}`;
}
