/** Returns the query that leads back to the guest's page after signing in. */
export function towardsUpgrade(search: string): string {
  const query = new URLSearchParams(search);
  query.set('next', 'upgrade');
  return `?${query}`;
}
