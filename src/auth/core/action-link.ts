/** Links in emails. */
import { encodeQuery } from './redirects.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

/** `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`. As upstream, opening the link uses it up. */
export function actionLink(externalUrl: string, hash: string, type: LinkType, redirectTo: string): string {
  // If the address contains none of these characters, the caller may already have encoded it, so it is used unchanged.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}

/**
 * `{account URL}/confirm?…`: a page with a button that uses the link, so an email scanner can open the page without
 * using up the link.
 */
export function confirmPageLink(
  accountUrl: string,
  hash: string,
  type: LinkType,
  redirectTo: string,
): string {
  return `${accountUrl}/confirm?token=${encodeQuery(hash)}&type=${type}&redirect_to=${encodeQuery(redirectTo)}`;
}
