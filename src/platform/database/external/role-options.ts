/** The passwords and connection options of Plinth's roles on an external server. */
import { clusterLogins, derivedLogins, type Logins, secretOfUrlPassword } from '../logins.ts';
import type { ConnectionOptions } from '../wire/index.ts';

/**
 * Returns undefined if the URL doesn't contain a password. Without a password in the URL, no passwords can be derived,
 * and the server might not require passwords.
 */
export function loginsOf({ password }: ConnectionOptions, shared: boolean): Logins | undefined {
  if (password === undefined) return undefined;
  const secret = secretOfUrlPassword(password);
  return shared ? clusterLogins(secret, { password, shared }) : derivedLogins(secret);
}

/**
 * On an external server, `postgres` may be an existing superuser whose search path Plinth doesn't change. Migrations
 * depend on the search path that this function sets.
 */
export function loginOf(base: ConnectionOptions, role: string): ConnectionOptions {
  // This role's transactions are read-only by default, so none of the URL's hosts would count as `read-write`.
  const sessionKind =
    role === 'supabase_read_only_user' && base.sessionKind === 'read-write' ? 'primary' : base.sessionKind;
  return withSearchPath({ ...base, sessionKind, user: role }, role);
}

export function withSearchPath(target: ConnectionOptions, role: string): ConnectionOptions {
  return role === 'postgres'
    ? { ...target, parameters: { search_path: '"$user", public, extensions' } }
    : target;
}
