/** Requests that make the same account, or the same factor, at the same moment. */

/** Who has which address, number or identity, and what a user calls a factor. */
const sharedKeys = new Set([
  'users_email_partial_key',
  'users_phone_key',
  'identities_provider_id_provider_unique',
  'mfa_factors_user_friendly_name_unique',
]);

/**
 * Looks again when what was missing is there by the time it is written, made by another request: what the second look finds
 * is answered as if that request had come well before.
 *
 * @param attempt looks, and makes what is missing in a transaction of its own.
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
