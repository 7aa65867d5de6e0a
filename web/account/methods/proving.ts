/** Replaces the error text for a wrong code if the default text would mention authenticator apps. */
import { ApiError } from '../../lib/api.ts';
import type { Problem } from '../../ui/error-summary.tsx';

/** Auth has a single error code for all wrong proofs. `wrong` is the text to show at the field with this ID. */
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
