/** Builds the links in emails. */
import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { Caller } from '../common/caller.ts';
import { encodeQuery, isBelow } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

export interface MailLink {
  /** The hash of the code that the link contains. */
  readonly hash: string;
  readonly type: LinkType;
  /** The URL to which the browser is redirected after the link has taken effect. */
  readonly redirectTo: string;
}

/** Returns the template values that describe the link for a code. */
export function linkData(ctx: AuthContext, link: MailLink) {
  return {
    ConfirmationURL: linkFor(ctx, link, ctx.settings.mail.confirmsByButton),
    TokenHash: link.hash,
    RedirectTo: link.redirectTo,
  };
}

/**
 * Returns the link for a code. If the flow ends on the Account pages, or if `hasButton` is set, the link takes effect
 * only when the user presses a button.
 */
export function linkFor(
  { settings: { externalUrl, accountUrl } }: AuthContext,
  link: MailLink,
  hasButton: boolean,
): string {
  const isForPages = isBelow(link.redirectTo, accountUrl());
  // The link uses the host that received the request for the email, because the cookie of the waiting window is bound
  // to that host.
  const pagesUrl = isForPages ? keepLoopbackName(accountUrl(), new URL(link.redirectTo).host) : accountUrl();
  return hasButton || isForPages ? confirmPageLink(pagesUrl, link) : actionLink(externalUrl(), link);
}

/** Returns `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`. The link works only once, as in upstream. */
export function actionLink(externalUrl: string, { hash, type, redirectTo }: MailLink): string {
  // A URL that contains none of these characters isn't encoded, because the caller may have encoded it already.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}

/**
 * Returns the URL `{account URL}/confirm?…`. Users press a button on the page at this URL to use the link, so an email
 * scanner that opens the page doesn't use up the link.
 */
function confirmPageLink(accountUrl: string, { hash, type, redirectTo }: MailLink): string {
  return `${accountUrl}/confirm?token=${encodeQuery(hash)}&type=${type}&redirect_to=${encodeQuery(redirectTo)}`;
}

/**
 * Returns the URL of the Account pages on the host that the caller uses, so that all links in an email lead to the host
 * whose cookies the browser has. In development, a browser can use `localhost` or `127.0.0.1`.
 */
export const accountUrlFor = ({ settings }: AuthContext, { host }: Pick<Caller, 'host'>): string =>
  keepLoopbackName(settings.accountUrl(), host);

/** Returns the link with which the owner of the old address can cancel an email change. */
export function cancelLink(ctx: AuthContext, caller: Pick<Caller, 'host'>, hash: string): string {
  return ctx.settings.hasAccountPages ? `${accountUrlFor(ctx, caller)}/cancel-change?token=${hash}` : '';
}

/** Returns the URL of the page on which users start to choose a new password. */
export const secureUrl = (ctx: AuthContext, caller: Pick<Caller, 'host'>): string =>
  ctx.settings.hasAccountPages ? `${accountUrlFor(ctx, caller)}/recover` : '';
