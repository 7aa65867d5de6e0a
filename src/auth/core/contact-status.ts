/**
 * Decides from the account's row whether a contact can sign a user in (decision 27). An account has an *owner* once one
 * of its contacts was confirmed or one of its sessions was issued. A contact that the owner never confirmed can't sign
 * anyone in. If an account has no owner, the first user who proves that they control its contact gets the account,
 * without the content of earlier requests.
 */
import type { User, UserColumns } from '../rows.ts';

export type Contact = 'email' | 'phone';

/**
 * - `confirmed`: a user who proves that they control the contact can sign in.
 * - `unclaimed`: the account has no owner.
 * - `closed`: the account has an owner, who never confirmed this contact.
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
 * Whether an administrator created this account with an invitation, a generated link or /admin/users. Accounts from
 * sign-ups and providers differ because their metadata contains `sub`.
 */
export function isPrepared(user: User): boolean {
  const isOwnIdentity = ({ provider }: { provider: string }) => provider === 'email' || provider === 'phone';
  return !('sub' in (user.raw_user_meta_data ?? {})) && (user.identities ?? []).every(isOwnIdentity);
}
