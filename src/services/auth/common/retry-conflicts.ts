/** Retries a request if a concurrent request created the same account or factor. */

/**
 * The unique keys for contacts, identities and factors, which concurrent requests can violate. Challenges of different
 * factors can also be created at the same time.
 */
const sharedKeys = new Set([
  'users_email_partial_key',
  'users_phone_key',
  'identities_provider_id_provider_unique',
  'mfa_factors_user_friendly_name_unique',
  'unique_phone_factor_per_user',
  'mfa_factors_last_challenged_at_key',
]);

/**
 * Repeats the attempt once if another request created the same row first. The second attempt finds the row created by
 * the other request.
 *
 * @param attempt looks up the row, and creates it in a separate transaction if it doesn't exist. Sends messages only
 * after the last statement that can violate one of the keys, so that no message is sent for an attempt that failed
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    return attempt();
  }
}

function isUniqueConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint = '' } = error as { code?: unknown; constraint?: string };
  return (code === '23505' && sharedKeys.has(constraint)) || isUniqueConflict(error.cause);
}
