/** Handles a wrong code for a second factor. The default error text for a wrong code mentions authenticator apps. */
import { ApiError } from '../../lib/api.ts';
import type { Problem } from '../../ui/error-summary.tsx';

/**
 * Runs `work`, and replaces the error text if the code was wrong, because the auth service has only one error code for
 * all wrong codes. `wrong` is the replacement text, which is shown next to the field with the ID `fieldId`.
 */
export async function proving(
  work: () => Promise<undefined>,
  wrong: string,
  fieldId: string,
): Promise<readonly Problem[] | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'mfa_verification_failed') throw error;
    const { code, requestId } = error;
    return [{ text: wrong, fieldId, code, requestId }];
  }
}
