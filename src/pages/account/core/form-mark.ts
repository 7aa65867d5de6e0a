/**
 * Protects the Account forms against cross-site requests. The form and a cookie contain the same token. Other sites
 * can't read the form's token or set the cookie. The `Sec-Fetch-Site` and `Origin` headers must also show that the
 * request comes from the Account pages, because a sibling host could have set the cookie.
 */
import { timingSafeEqual } from 'node:crypto';

export interface FormSender {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** The host and port to which the browser sent the form. */
  readonly host: string;
  /** The token that the form contains. */
  readonly mark: string;
  /** The token that the cookie contains. */
  readonly cookie: string | undefined;
}

export const markBytes = 16;
export const isMark = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

export function isOurForm({ fetchSite, origin, host, mark, cookie = '' }: FormSender): boolean {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host.toLowerCase())) {
    return false;
  }
  return isMark(mark) && isMark(cookie) && timingSafeEqual(Buffer.from(mark), Buffer.from(cookie));
}
