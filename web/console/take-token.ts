/**
 * Returns the token of a one-time link. The token is in the URL's fragment, because fragments don't appear in server
 * logs. The token is removed from the URL before any other code runs, so it can't be shared, bookmarked or read from
 * the history.
 */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null || token === '') return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/**
 * Whether another website may have opened this page. If so, the token may belong to a different operator. Returns false
 * only if the browser reports that no other website opened the page (`src/pages/console/index.ts`).
 */
export const cameFromElsewhere = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="plinth-arrival"]')?.content !== 'own';
