/** Invisible frames that load the logout pages of OpenID clients after a sign-out. */
import { escapeText } from './html.ts';

/**
 * Returns the frames as HTML. The sandbox allows a client's logout page to delete the client's cookies, but not to open
 * windows, submit forms or navigate the Account page.
 */
export const framesOf = (urls: readonly string[]): string =>
  urls
    .map(
      (url) =>
        `<iframe data-signed-out hidden sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer" src="${escapeText(url)}"></iframe>`,
    )
    .join('');

/**
 * Returns the sources for the content security policy's `frame-src` directive. The sources contain the path of the
 * logout page, so the frame can't load the client's other pages. The characters `;` and `,` are escaped, because they
 * would end a source (CSP Level 3, section 2.3.1).
 */
export const frameSourcesOf = (urls: readonly string[]): readonly string[] => [
  ...new Set(
    urls.map((url) => {
      const { origin, pathname } = new URL(url);
      return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
    }),
  ),
];
