/**
 * Determines the password of each login role. Users receive only the password of `postgres`. Only Plinth's own
 * processes sign in as the other roles. The other roles' passwords are derived from a single secret, so several
 * processes use the same passwords without storing them.
 */
import { createHmac, scryptSync } from 'node:crypto';
import { chosenIterations, scramVerifier } from './verifier.ts';

export interface Logins {
  password(role: string): string;
  /**
   * Returns the verifier that PostgreSQL stores for the role's password. The same password always results in the same
   * verifier, so at startup, verifiers only need to be compared and are rarely written.
   */
  verifier(role: string): string;
}

/**
 * Plinth's roles that can sign in, except `postgres`. Plinth never changes the passwords of roles that aren't listed
 * here.
 */
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

/**
 * The number of iterations for derived passwords. A secret of 256 random bits doesn't need key stretching, so one
 * iteration is enough and signing in is cheap.
 */
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
 * Returns the logins of a cluster. `secret` is used to derive the passwords of all roles except `postgres`, whose
 * password is passed in. If `shared` is true, every role has the password of `postgres`, as in upstream's local stack.
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
 * Returns the secret for an external server. Every process with the same URL password derives the same secret. The
 * URL's password may be weak, so scrypt stretches it. The derived verifiers therefore don't make it easier to guess the
 * password than the account's own verifier does.
 */
export function secretOfUrlPassword(password: string): Buffer {
  return scryptSync(password.normalize('NFKC'), 'plinth database logins', 32, { N: 16_384, r: 8, p: 1 });
}
