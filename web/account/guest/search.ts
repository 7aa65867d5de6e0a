/** Returns query parameters that take the user to the guest page after signing in. */
export function towardsUpgrade(search: string): string {
  const query = new URLSearchParams(search);
  query.set('next', 'upgrade');
  return `?${query}`;
}
