/** Verifies codes and links, and makes the change that a code or link confirms. */
import type { Transaction } from '../../../platform/database/types.ts';
import {
  acceptEmailChange,
  acceptPhone,
  acceptRecovery,
  acceptSignUp,
  changePhone,
} from '../account/contact-changes.ts';
import type { Caller } from '../common/caller.ts';
import { type Contact, contactStatus, isPrepared } from '../common/contact.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { findByCode, findByHash, invalidLink } from './find-owner.ts';
import type { VerifyRequest } from './verify-request.ts';

export const singleConfirmationAccepted =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email';

export interface VerifiedUser {
  readonly kind: 'user';
  readonly user: User;
  /** The type of the code or link, in which `signup` or `magiclink` has replaced the generic type `email`. */
  readonly type: string;
  /**
   * Whether the code or link confirmed an account that an administrator prepared. The user hasn't chosen a password for
   * this account, because a sign-up doesn't change the password of a prepared account.
   */
  readonly wasPrepared: boolean;
}

/** Returns the kind of contact to which codes and links of this type are sent. */
export function contactOf(type: string): Contact {
  return type === 'sms' || type === 'phone_change' ? 'phone' : 'email';
}

/** GoTrue's messages for errors of the database, such as an error that a project's trigger raises. */
const failures = {
  signup: 'Error confirming user',
  recovery: 'Database error updating user',
  magiclink: 'Database error updating user',
  email_change: 'Error confirm email',
} as const;

const failureOf = (type: string): string =>
  type in failures ? failures[type as keyof typeof failures] : failures.signup;

export type Verified =
  | VerifiedUser
  /** An email change requires two confirmations, and only the first confirmation has been accepted. */
  | { readonly kind: 'half' };

/**
 * Finds the user who received a code or link, and makes the change that the code or link confirms. Throws `otp_expired`
 * or `user_banned`.
 */
export async function verify(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { request, aud }: { readonly request: VerifyRequest; readonly aud: string },
): Promise<Verified> {
  const { user, type } = request.typed
    ? await findByCode(ctx, tx, caller, { request, aud })
    : await findByHash(ctx, tx, request);
  // Anyone can request codes of other types, but only a signed-in user or an administrator can start a contact change.
  const isChange = type === 'email_change' || type === 'phone_change';
  if (!isChange && contactStatus(user, contactOf(type)) === 'closed') {
    throw request.typed ? authError('otp_expired') : invalidLink();
  }
  const confirms = type === 'signup' || type === 'invite';
  const wasPrepared = confirms && contactStatus(user, 'email') === 'unclaimed' && isPrepared(user);
  try {
    if ((await accept(ctx, tx, caller, { user, type, hash: request.hash })) === 'half')
      return { kind: 'half' };
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError(failureOf(type), cause);
  }
  return { kind: 'user', user, type, wasPrepared };
}

/** Makes the change. Returns `half` if the change must also be confirmed at another address. */
async function accept(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, type, hash }: { readonly user: User; readonly type: string; readonly hash: string },
): Promise<'half' | 'done'> {
  switch (type) {
    case 'signup':
    case 'invite':
      await acceptSignUp(ctx, tx, user);
      return 'done';
    case 'recovery':
    case 'magiclink':
      await acceptRecovery(ctx, tx, user);
      return 'done';
    case 'email_change':
      return acceptEmailChange(ctx, tx, caller, { user, hash });
    case 'sms':
      await acceptPhone(ctx, tx, user);
      return 'done';
    case 'phone_change':
      for (const notice of await changePhone(ctx, tx, caller, user)) await notice.send();
      return 'done';
    default:
      throw authError('validation_failed', 'Unsupported verification type');
  }
}
