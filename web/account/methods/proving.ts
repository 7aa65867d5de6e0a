/** What went wrong with a code, where the words for it would speak of authenticator apps. */
import { ApiError } from '../../lib/api.ts';
import type { Problem } from '../../ui/error-summary.tsx';

/** Auth has one code for every wrong proof: `wrong` says what it means here, at the field of this id. */
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
