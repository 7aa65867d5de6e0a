/** Builds the links in emails. */
import { encodeQuery } from '../common/redirects.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

/** Returns `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`. The link works only once, as in upstream. */
export function actionLink(externalUrl: string, hash: string, type: LinkType, redirectTo: string): string {
  // A URL that contains none of these characters isn't encoded, because the caller may have encoded it already.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}

/**
 * Returns the URL `{account URL}/confirm?…`. Users press a button on the page at this URL to use the link, so an email
 * scanner that opens the page doesn't use up the link.
 */
export function confirmPageLink(
  accountUrl: string,
  hash: string,
  type: LinkType,
  redirectTo: string,
): string {
  return `${accountUrl}/confirm?token=${encodeQuery(hash)}&type=${type}&redirect_to=${encodeQuery(redirectTo)}`;
}
