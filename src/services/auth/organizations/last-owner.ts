/** The error for the deletion of a user who is the only owner of an organization. */
import { isPostgresError } from '../../../base/shared/errors.ts';
import { type AuthError, authError } from '../errors.ts';

/**
 * Returns the error that clients receive if the trigger of the project's organizations rejected the deletion, or
 * undefined if the cause is something else.
 */
export function lastOwnerError(cause: unknown): AuthError | undefined {
  if (!isPostgresError(cause) || cause.code !== 'PT409' || cause.hint !== 'last_owner') return undefined;
  return authError(
    'conflict',
    'This user is the only owner of an organization. Transfer or delete it first',
    {
      cause,
    },
  );
}
