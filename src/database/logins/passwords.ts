/**
 * Determines the password of each login role. Users only know the password of `postgres`. The other roles are used by
 * this process alone: their passwords are derived from one secret, so that several processes agree on them without
 * storing any.
 */
import { createHmac, scryptSync } from 'node:crypto';
import { chosenIterations, scramVerifier } from './verifier.ts';

export interface Logins {
  password(role: string): string;
  /**
   * Returns the verifier that PostgreSQL stores. The result is always the same, so a start only has to compare and
   * rarely writes.
   */
  verifier(role: string): string;
}

/** Our roles that can sign in, besides `postgres`. Passwords of other roles are never changed. */
export const ownLoginRoles: readonly string[] = [
  'authenticator',
  'pgbouncer',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_etl_admin',
  'supabase_functions_admin',
  'supabase_read_only_user',
  'supabase_realtime_admin',
  'supabase_replication_admin',
  'supabase_storage_admin',
];

/** 256 random bits need no key stretching, and a sign-in without it costs nothing. */
const derivedIterations = 1;

export function derivedLogins(secret: Buffer): Logins {
  const derive = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const password = (role: string): string => derive(`password of ${role}`).toString('base64url');
  return {
    password,
    verifier: (role) =>
      scramVerifier(password(role), derive(`salt of ${role}`).subarray(0, 16), derivedIterations),
  };
}

/**
 * `secret` derives the passwords of all roles except `postgres`, whose password is given. With `shared`, every role has
 * that password, as in upstream's local stack.
 */
export function clusterLogins(
  secret: Buffer,
  options: { readonly password: string; readonly shared: boolean },
): Logins {
  const derived = derivedLogins(secret);
  const isGiven = (role: string): boolean => options.shared || role === 'postgres';
  return {
    password: (role) => (isGiven(role) ? options.password : derived.password(role)),
    verifier(role) {
      if (!isGiven(role)) return derived.verifier(role);
      const salt = createHmac('sha256', secret).update(`salt of ${role}`).digest().subarray(0, 16);
      return scramVerifier(options.password, salt, chosenIterations);
    },
  };
}

/**
 * Returns the secret for a server of which only the URL is known: every process with that URL derives the same one. The
 * URL's password may be weak, so it is stretched. Guessing it from one of these verifiers costs more than from the
 * account's own verifier.
 */
export function secretOfUrlPassword(password: string): Buffer {
  return scryptSync(password.normalize('NFKC'), 'plinth database logins', 32, { N: 16_384, r: 8, p: 1 });
}
