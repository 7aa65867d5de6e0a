/**
 * Determines from an account's row whether a user can sign in with one of the account's contacts (decision 27). An
 * account has an *owner* once a contact has been confirmed or a session has been issued. Users can't sign in with a
 * contact that the owner never confirmed. If the account has no owner, the first user who proves control of the contact
 * becomes the owner, and the data from earlier requests is removed.
 */
import type { User, UserColumns } from './rows.ts';

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
 * Whether an administrator created the account, with an invitation, a generated link or `/admin/users`. Accounts that
 * were created by a sign-up or a provider have `sub` in their metadata.
 */
export function isPrepared(user: User): boolean {
  const isOwnIdentity = ({ provider }: { provider: string }) => provider === 'email' || provider === 'phone';
  return !('sub' in (user.raw_user_meta_data ?? {})) && (user.identities ?? []).every(isOwnIdentity);
}
