/** Links in mails. */
import { encodeQuery } from './redirects.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

/** `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`: whoever opens it has used it, as upstream. */
export function actionLink(externalUrl: string, hash: string, type: LinkType, redirectTo: string): string {
  // An address without these characters may have been encoded by the caller already and is taken as it is.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}

/** `{account URL}/confirm?…`: a page whose button uses it, so that a mail scanner that opens it uses nothing up. */
export function confirmPageLink(
  accountUrl: string,
  hash: string,
  type: LinkType,
  redirectTo: string,
): string {
  return `${accountUrl}/confirm?token=${encodeQuery(hash)}&type=${type}&redirect_to=${encodeQuery(redirectTo)}`;
}
