/**
 * The mark of a form of ours: it stands in the form and in a cookie, and no other site can read the one or set the other.
 * What the browser says of the sender (`Sec-Fetch-Site`, `Origin`) must be us as well, which also covers marks that a
 * neighbouring host has planted.
 */
import { timingSafeEqual } from 'node:crypto';

export interface FormSender {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** Host and port the form was sent to. */
  readonly host: string;
  /** In the form. */
  readonly mark: string;
  /** In the cookie. */
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
