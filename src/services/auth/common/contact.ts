/**
 * Validates email addresses and phone numbers that clients send, and determines from an account's row whether a user can
 * sign in with one of the account's contacts (decision 27). An account has an *owner* once a contact has been confirmed
 * or a session has been issued. Users can't sign in with a contact that the owner never confirmed. If the account has no
 * owner, the first user who proves control of the contact becomes the owner, and the data from earlier requests is
 * removed.
 */
import { authError } from '../errors.ts';
import type { User, UserColumns } from './rows.ts';

const emailFormat =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Validates an email address and returns it in lowercase. @throws {AuthError} validation_failed */
export function parseEmail(email: string): string {
  if (email === '') throw authError('validation_failed', 'An email address is required');
  if (Buffer.byteLength(email) > 255) throw authError('validation_failed', 'An email address is too long');
  if (!emailFormat.test(email)) {
    throw authError('validation_failed', 'Unable to validate email address: invalid format');
  }
  return email.toLowerCase();
}

/**
 * Whether the address contains a non-ASCII letter whose lowercase form is or begins with an ASCII letter: U+212A (the
 * Kelvin sign) or U+0130 (the dotted I). Addresses are compared in lowercase, so such an address could match another
 * user's address.
 */
export function becomesAnother(email: string): boolean {
  return /[\u0130\u212a]/.test(email);
}

export function isEmail(email: string): boolean {
  return Buffer.byteLength(email) <= 255 && emailFormat.test(email);
}

export function isPhone(phone: string): boolean {
  return phoneFormat.test(barePhone(phone));
}

const phoneFormat = /^[1-9][0-9]{1,14}$/;

/** Removes `+` and spaces from a phone number without validating it. Used for sign-ins. */
export function barePhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '');
}

/**
 * Validates a phone number and returns its 2 to 15 digits (E.164 without `+`). The first digit isn't 0.
 * @throws {AuthError} validation_failed
 */
export function parsePhone(phone: string): string {
  const bare = barePhone(phone);
  if (!phoneFormat.test(bare)) {
    throw authError('validation_failed', 'Invalid phone number format (E.164 required)');
  }
  return bare;
}

export type Contact = 'email' | 'phone';

/**
 * - `confirmed`: any user who proves control of the contact can sign in.
 * - `unclaimed`: the account has no owner.
 * - `closed`: the account has an owner who never confirmed this contact.
 */
type ContactStatus = 'confirmed' | 'unclaimed' | 'closed';

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
