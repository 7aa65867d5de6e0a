/** Frames that load the pages of OpenID clients after a sign-out. They are invisible. */
import { escapeText } from './html.ts';

/**
 * Returns the frames as HTML. The sandbox keeps a client's page from opening windows, submitting forms and navigating
 * our page, and lets it delete its cookies.
 */
export const framesOf = (urls: readonly string[]): string =>
  urls
    .map(
      (url) =>
        `<iframe data-signed-out hidden sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer" src="${escapeText(url)}"></iframe>`,
    )
    .join('');

/**
 * Returns the sources for `frame-src`. They contain the path, so the page can't load any other page of the client. `;` and
 * `,` would end a source (CSP Level 3, section 2.3.1).
 */
export const frameSourcesOf = (urls: readonly string[]): readonly string[] => [
  ...new Set(
    urls.map((url) => {
      const { origin, pathname } = new URL(url);
      return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
    }),
  ),
];
