/** Links in mails: `{external URL}/verify?token=HASH&type=TYPE&redirect_to=URL`. */
import { encodeQuery } from './redirects.ts';

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';

export function actionLink(externalUrl: string, hash: string, type: LinkType, redirectTo: string): string {
  // An address without these characters may have been encoded by the caller already and is taken as it is.
  const target = /[&=#]/.test(redirectTo) ? encodeQuery(redirectTo) : redirectTo;
  return `${externalUrl.replace(/\/+$/, '')}/verify?token=${encodeQuery(hash)}&type=${type}&redirect_to=${target}`;
}
