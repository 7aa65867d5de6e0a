/**
 * The secret of a one-time link stands in the fragment, which no server log sees. It leaves the address before anything
 * else runs, so that it cannot be shared, bookmarked or read from the history.
 */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null || token === '') return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/**
 * True unless the browser says that no other website led here (`src/console/core/arrival.ts`): then the token may be
 * somebody else's.
 */
export const cameFromElsewhere = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="plinth-arrival"]')?.content !== 'own';
