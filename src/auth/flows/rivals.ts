/** Requests that make the same account at the same moment. */

/** Who has which address, number or identity. */
const accountKeys = new Set([
  'users_email_partial_key',
  'users_phone_key',
  'identities_provider_id_provider_unique',
]);

/**
 * Looks again when the account that was missing is there by the time it is written, made by another request: what the second
 * look finds is answered as if that request had come well before.
 *
 * @param attempt looks for the account and makes it, in a transaction of its own.
 */
export async function despiteRivals<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isTakenMeanwhile(error)) throw error;
    return attempt();
  }
}

function isTakenMeanwhile(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint = '' } = error as { code?: unknown; constraint?: string };
  return (code === '23505' && accountKeys.has(constraint)) || isTakenMeanwhile(error.cause);
}
