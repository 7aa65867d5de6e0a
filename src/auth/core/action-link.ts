/** Builds the links that emails contain. */
import { encodeQuery } from './redirects.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

/**
 * Returns `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`. As in upstream, the link can't be used again
 * after it has been opened.
 */
export function actionLink(externalUrl: string, hash: string, type: LinkType, redirectTo: string): string {
  // If the URL contains none of these characters, the caller may already have encoded it, so it is used unchanged.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}

/**
 * Returns the URL `{account URL}/confirm?…`. On this page, users press a button to use the link, so an email scanner
 * can open the page without using up the link.
 */
export function confirmPageLink(
  accountUrl: string,
  hash: string,
  type: LinkType,
  redirectTo: string,
): string {
  return `${accountUrl}/confirm?token=${encodeQuery(hash)}&type=${type}&redirect_to=${encodeQuery(redirectTo)}`;
}
