/**
 * Defines the functions that the auth service uses for all of its emails. These functions handle rate limits, links,
 * and the hook that can send the emails.
 */

import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { isBelow } from '../common/redirects.ts';
import { renderUser } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { isPausing } from '../limits/rate-limits.ts';
import { actionLink, confirmPageLink, type LinkType } from './action-link.ts';
import { isAuthorized } from './mail-addresses.ts';

/**
 * Returns the link for a code. If the flow ends on the Account pages, or if `hasButton` is set, the link takes effect
 * only when the user presses a button.
 */
export function linkFor(
  { settings: { externalUrl, accountUrl } }: AuthContext,
  hash: string,
  type: LinkType,
  redirectTo: string,
  hasButton: boolean,
): string {
  const isForPages = isBelow(redirectTo, accountUrl());
  // The link uses the host that received the request for the email, because the cookie of the waiting window is bound
  // to that host.
  const pagesUrl = isForPages ? keepLoopbackName(accountUrl(), new URL(redirectTo).host) : accountUrl();
  return hasButton || isForPages
    ? confirmPageLink(pagesUrl, hash, type, redirectTo)
    : actionLink(externalUrl(), hash, type, redirectTo);
}

/** Returns the template values that describe the link for a code. */
export function linkData(ctx: AuthContext, hash: string, type: LinkType, redirectTo: string) {
  return {
    ConfirmationURL: linkFor(ctx, hash, type, redirectTo, ctx.settings.mail.confirmsByButton),
    TokenHash: hash,
    RedirectTo: redirectTo,
  };
}

/** Returns the link with which the owner of the old address can cancel an email change. */
export function cancelLink({ settings }: AuthContext, hash: string): string {
  return settings.hasAccountPages ? `${settings.accountUrl()}/cancel-change?token=${hash}` : '';
}

/** Returns the URL of the page on which users start to choose a new password. */
export const secureUrl = ({ settings }: AuthContext): string =>
  settings.hasAccountPages ? `${settings.accountUrl()}/recover` : '';

type EmailData = Readonly<Record<string, string>>;

/** Runs the `send_email` hook. The hook receives empty strings for fields that are missing in `emailData`. */
export async function callSendEmailHook(
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
    // The URL of the auth service. Upstream also sends this URL to the hook under this name.
    site_url: ctx.settings.externalUrl(),
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...emailData,
  };
  await runHook(ctx, caller, { name: 'send_email', input: { user: renderUser(user), email_data }, tx });
}

/** Throws `email_address_not_authorized` if the project's list of addresses doesn't contain the address. */
export function requireAuthorized(ctx: AuthContext, email: string): void {
  if (email === '' || isAuthorized(email, ctx.settings.mail.authorizedAddresses)) return;
  throw authError(
    'email_address_not_authorized',
    `Email address ${JSON.stringify(email)} cannot be used as it is not authorized`,
  );
}

/**
 * Whether the previous email was sent so recently that another email can't be sent yet. Only a hint, because a
 * concurrent request may be sending an email. `claimEmail` decides.
 */
export const isMailPausing = ({ settings, clock }: AuthContext, sentAt: string | null): boolean =>
  sentAt !== null && isPausing(toMs(sentAt), settings.email.maxFrequencyMs, clock.now());

/**
 * Sends an email. Rethrows an {@link AuthError}. For any other failure, throws an internal error with the given
 * message.
 */
export async function wrapFailure(message: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError(message, cause);
  }
}
