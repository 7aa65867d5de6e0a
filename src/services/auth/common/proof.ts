/**
 * Defines the proof that a request must provide before a session is issued. The proof is checked against the locked row
 * when the session is written. Therefore, no session is issued if the calling code selected the wrong account, or if
 * the account has changed since it was selected.
 */
import type { Transaction } from '../../../platform/database/types.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { type Contact, hasOwner, isConfirmed } from './contact.ts';
import { isBanned } from './render-user.ts';
import type { User } from './rows.ts';
import { lockForSession, type SignInRow } from './user-queries.ts';

export type Proof =
  /** This request created the account, so no one can have signed in to the account before. */
  | { readonly by: 'creation' }
  /** The user entered the correct password. `hash` is the hash that the password was compared with. */
  | { readonly by: 'password'; readonly contact: Contact; readonly hash: string }
  /** The user received a code or link sent to the contact. The contact is confirmed before this proof is checked. */
  | {
      readonly by: 'code';
      readonly contact: Contact;
      /** Whether the code only confirmed a new address or number and therefore doesn't count as a sign-in. */
      readonly isChange?: boolean;
    }
  /** A provider, an SSO connection or a wallet authenticated the identity. */
  | { readonly by: 'identity'; readonly provider: string; readonly providerId: string }
  /**
   * The user has presented a passkey, the code of a completed sign-in, or a session. Only the account's owner can
   * present any of these.
   */
  | { readonly by: 'passkey' | 'flow' | 'consent' };

/** Checks the proof against the account's locked row. @throws {AuthError} user_banned, invalid_credentials */
export async function requireProof(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  proof: Proof,
): Promise<void> {
  const row = await lockForSession(tx, user.id, proof.by === 'identity' ? proof : undefined);
  if (row && isBanned(row, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
  if (row && isProven(row, proof)) return;
  ctx.log.warn(
    { service: 'auth', userId: user.id, proof: proof.by },
    'no session issued because the account changed',
  );
  throw authError('invalid_credentials');
}

function isProven(row: SignInRow, proof: Proof): boolean {
  switch (proof.by) {
    case 'creation':
      return row.last_sign_in_at === null;
    case 'password':
      return isConfirmed(row, proof.contact) && row.encrypted_password === proof.hash;
    case 'code':
      return isConfirmed(row, proof.contact);
    case 'identity':
      return row.has_identity;
    default:
      return hasOwner(row) || row.has_identity;
  }
}
