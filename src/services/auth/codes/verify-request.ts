/**
 * Parses the input of a verification. The input is either a typed code together with the contact that received the
 * code, or the hash from a link.
 */

import { parseEmail, parsePhone } from '../common/contact.ts';
import { tokenHash } from '../common/secrets.ts';
import { authError } from '../errors.ts';

export interface VerifyRequest {
  readonly type: string;
  /** The hash of a typed code together with its contact, or the hash from a link. */
  readonly hash: string;
  /** A typed code, together with the email address or phone number that received the code. */
  readonly typed: { readonly code: string; readonly email: string; readonly phone: string } | undefined;
}

/** Parses the fields of a POST body. @throws {AuthError} validation_failed */
export function parseVerifyRequest(fields: {
  readonly type: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly email: string;
  readonly phone: string;
  readonly redirectTo: string;
}): VerifyRequest {
  const { type, token, tokenHash: hash, email, phone } = fields;
  if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
  if ((token === '') === (hash === '')) {
    throw authError('validation_failed', 'Verify requires either a token or a token hash');
  }
  if (hash !== '') {
    if (email !== '' || phone !== '' || fields.redirectTo !== '') {
      throw authError('validation_failed', 'Only the token_hash and type should be provided');
    }
    return { type, hash, typed: undefined };
  }
  if (phone !== '' && email === '') {
    const parsed = parsePhone(phone);
    return { type, hash: tokenHash(parsed, token), typed: { code: token, email: '', phone: parsed } };
  }
  if (email !== '' && phone === '') {
    const parsed = parseTypedEmail(email);
    return { type, hash: tokenHash(parsed, token), typed: { code: token, email: parsed, phone: '' } };
  }
  throw authError('validation_failed', 'Only an email address or phone number should be provided on verify');
}

function parseTypedEmail(email: string): string {
  try {
    return parseEmail(email);
  } catch (cause) {
    throw authError('validation_failed', 'Invalid email format', { status: 422, cause });
  }
}
