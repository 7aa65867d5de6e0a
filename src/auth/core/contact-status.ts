/**
 * Who may come in by a contact, judged from the account's row (decision 27). An account has an *owner* once a contact of it
 * was confirmed or a session of it was issued. A contact that the owner never confirmed opens nothing for anyone else. An
 * account without an owner goes to the first who proves its contact, without anything that others left there.
 */
import type { User, UserColumns } from '../rows.ts';

export type Contact = 'email' | 'phone';

/**
 * - `confirmed`: a proof of the contact is a proof for the account.
 * - `unclaimed`: nothing about the account was ever proved.
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
 * An administrator made this account: by an invitation, a link or /admin/users. A sign-up writes `sub` into the metadata,
 * a provider too.
 */
export function isPrepared(user: User): boolean {
  const isOwnIdentity = ({ provider }: { provider: string }) => provider === 'email' || provider === 'phone';
  return !('sub' in (user.raw_user_meta_data ?? {})) && (user.identities ?? []).every(isOwnIdentity);
}
