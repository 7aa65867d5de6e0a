/** Adds the parameter that opens the guest page after the user has signed in. */
export function towardsUpgrade(search: string): string {
  const query = new URLSearchParams(search);
  query.set('next', 'upgrade');
  return `?${query}`;
}
