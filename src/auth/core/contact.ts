/** Email addresses and phone numbers as clients send them. */
import { authError } from '../errors.ts';

const emailFormat =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Returns the address in lower case. Throws `validation_failed`. */
export function parseEmail(email: string): string {
  if (email === '') throw authError('validation_failed', 'An email address is required');
  if (Buffer.byteLength(email) > 255) throw authError('validation_failed', 'An email address is too long');
  if (!emailFormat.test(email)) {
    throw authError('validation_failed', 'Unable to validate email address: invalid format');
  }
  return email.toLowerCase();
}

/**
 * True if the address contains a non-ASCII letter whose lower case is an ASCII letter: U+212A (the Kelvin sign) or U+0130 (the
 * dotted I). Addresses are compared in lower case, so it would match another user's address.
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

/** Removes `+` and spaces without validation, for sign-in. */
export function barePhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '');
}

/** Returns 2 to 15 digits, the first not 0 (E.164 without `+`). Throws `validation_failed`. */
export function parsePhone(phone: string): string {
  const bare = barePhone(phone);
  if (!phoneFormat.test(bare)) {
    throw authError('validation_failed', 'Invalid phone number format (E.164 required)');
  }
  return bare;
}
