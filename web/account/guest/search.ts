/** The query with which somebody comes back to the page for guests after they have signed in. */
export function towardsUpgrade(search: string): string {
  const query = new URLSearchParams(search);
  query.set('next', 'upgrade');
  return `?${query}`;
}
