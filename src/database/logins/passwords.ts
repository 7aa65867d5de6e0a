/**
 * Which password each login role has. Only `postgres` has one that people know. The other roles are used by this process
 * alone: their passwords come from one secret, so that several processes agree on them without storing any.
 */
import { createHmac, scryptSync } from 'node:crypto';
import { chosenIterations, scramVerifier } from './verifier.ts';

export interface Logins {
  password(role: string): string;
  /** What PostgreSQL keeps of it: the same text each time, so that a start compares and rarely writes. */
  verifier(role: string): string;
}

/** The roles of ours that may sign in besides `postgres`; no other role's password is ever changed. */
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

/** 256 random bits need no stretching, and a sign-in that doesn't stretch costs nothing. */
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

/** `secret` for all roles but `postgres`, whose password is given; `shared`: that password for every role, as upstream's local stack. */
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
 * The secret for a server that is only known by its URL: every process with that URL comes to the same one. The URL's password
 * may be weak, so it is stretched: guessing it from one of these verifiers costs more than from that account's own.
 */
export function secretOfUrlPassword(password: string): Buffer {
  return scryptSync(password.normalize('NFKC'), 'plinth database logins', 32, { N: 16_384, r: 8, p: 1 });
}
