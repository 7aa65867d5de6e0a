/**
 * Takes the secret of a one-time link from the fragment, which server logs don't contain. The secret is removed from
 * the address before anything else runs, so that it can't be shared, bookmarked or read from the history.
 */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null || token === '') return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/**
 * Whether another website may have linked here, so the token may belong to another operator. False only if the browser
 * rules that out (`src/console/core/arrival.ts`).
 */
export const cameFromElsewhere = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="plinth-arrival"]')?.content !== 'own';
