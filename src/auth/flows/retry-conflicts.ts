/** Retries a request if a concurrent request created the same account or factor. */

/** The unique keys for contacts, identities and factor names, which concurrent requests can violate. */
const sharedKeys = new Set([
  'users_email_partial_key',
  'users_phone_key',
  'identities_provider_id_provider_unique',
  'mfa_factors_user_friendly_name_unique',
]);

/**
 * Repeats the attempt once if another request created the same row first. The second attempt finds the row created by
 * the other request.
 *
 * @param attempt looks up the row, and creates it in a separate transaction if it doesn't exist
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
