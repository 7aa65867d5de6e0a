/** Validates email addresses and phone numbers that clients send. */
import { authError } from '../errors.ts';

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
