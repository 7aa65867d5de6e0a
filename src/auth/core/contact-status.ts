/**
 * Determines from the account's row whether a contact can be used to sign in (decision 27). An account has an *owner*
 * once a contact has been confirmed or a session has been issued. A contact that the owner never confirmed can't be
 * used to sign in. If the account has no owner, the first user to prove control of the contact gets the account,
 * without the data from earlier requests.
 */
import type { User, UserColumns } from '../rows.ts';

export type Contact = 'email' | 'phone';

/**
 * - `confirmed`: any user who proves control of the contact can sign in.
 * - `unclaimed`: the account has no owner.
 * - `closed`: the account has an owner who never confirmed this contact.
 */
export type ContactStatus = 'confirmed' | 'unclaimed' | 'closed';

export function contactStatus(user: UserColumns, contact: Contact): ContactStatus {
  if (isConfirmed(user, contact)) return 'confirmed';
  return hasOwner(user) ? 'closed' : 'unclaimed';
}

export function isConfirmed(user: UserColumns, contact: Contact): boolean {
  return (contact === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null;
}

export function hasOwner(user: UserColumns): boolean {
  const { email_confirmed_at, phone_confirmed_at, last_sign_in_at, deleted_at } = user;
  const proofs = [email_confirmed_at, phone_confirmed_at, last_sign_in_at, deleted_at];
  return proofs.some((at) => at !== null) || user.is_anonymous || user.is_sso_user;
}

/**
 * Whether an administrator created this account with an invitation, a generated link or /admin/users. Accounts created
 * by sign-ups or providers have `sub` in their metadata.
 */
export function isPrepared(user: User): boolean {
  const isOwnIdentity = ({ provider }: { provider: string }) => provider === 'email' || provider === 'phone';
  return !('sub' in (user.raw_user_meta_data ?? {})) && (user.identities ?? []).every(isOwnIdentity);
}
