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
