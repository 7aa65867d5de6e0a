/**
 * Determines the password of each login role, and updates the passwords and the database settings. Users receive only
 * the password of `postgres`. Only Plinth's own processes sign in as the other roles. The other roles' passwords are
 * derived from a single secret, so several processes use the same passwords without storing them.
 */
import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { quoteIdentifier, quoteLiteral, sql } from '../../base/kernel/sql.ts';
import type { Queryable, Setting } from './types.ts';

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

/** Sets the passwords of those roles in `names` that have LOGIN. The session must be allowed to set passwords. */
export async function setPasswords(
  session: Queryable,
  logins: Logins,
  names: readonly string[],
): Promise<void> {
  const expected = names.map(quoteLiteral).join(', ');
  const roles = await session.query<{ name: string }>(
    sql`select rolname::text as name from pg_catalog.pg_roles where rolcanlogin and rolname in (${sql.raw(expected)})`,
  );
  await changePasswords(
    session,
    logins,
    roles.map(({ name }) => name),
  );
}

/**
 * Sets the password of each login role whose password differs from the one in `logins`. Runs as the superuser in
 * Plinth's own cluster, at each startup and whenever the server rejects the password of one of Plinth's roles.
 */
export async function applyPasswords(session: Queryable, logins: Logins): Promise<void> {
  const names = ['postgres', ...ownLoginRoles];
  const found = await session.query<{ name: string; verifier: string | null }>(sql`
    select rolname::text as name, rolpassword as verifier from pg_catalog.pg_authid
    where rolcanlogin and rolname in (${sql.raw(names.map(quoteLiteral).join(', '))})`);
  const differing = found.filter(({ name, verifier }) => verifier !== logins.verifier(name));
  await changePasswords(
    session,
    logins,
    differing.map(({ name }) => name),
  );
}

async function changePasswords(session: Queryable, logins: Logins, roles: readonly string[]): Promise<void> {
  if (roles.length === 0) return;
  const statements = roles.map(
    (name) => `alter role ${quoteIdentifier(name)} password ${quoteLiteral(logins.verifier(name))}`,
  );
  // These settings prevent statistics and logs that other roles can read from containing the verifiers. Only a
  // superuser can change these settings.
  const [row] = await session.query<{ superuser: boolean }>(
    sql`select rolsuper as superuser from pg_catalog.pg_roles where rolname = current_user`,
  );
  const quiet = row?.superuser
    ? [
        'set local pg_stat_statements.track_utility = off',
        "set local log_statement = 'none'",
        'set local log_min_duration_statement = -1',
        'set local log_duration = off',
      ]
    : [];
  // The statements are sent as a single query, so they run in a single transaction.
  await session.exec([...quiet, ...statements].join(';\n'));
}

/**
 * Applies the settings of the database itself. Removes each setting in `withheld`, but only if the database has exactly
 * the given value.
 */
export async function applyDatabaseSettings(
  session: Queryable,
  settings: readonly Setting[],
  withheld: readonly Setting[],
): Promise<void> {
  const [found] = await session.query<{ settings: string[] | null; database: string }>(sql`
    select current_database()::text as database,
           (select s.setconfig from pg_catalog.pg_db_role_setting s
             join pg_catalog.pg_database d on d.oid = s.setdatabase
             where d.datname = current_database() and s.setrole = 0) as settings`);
  const has = ([name, value]: Setting): boolean => found?.settings?.includes(`${name}=${value}`) ?? false;
  const database = quoteIdentifier(found?.database ?? 'postgres');
  const parameter = (name: string): string => name.split('.').map(quoteIdentifier).join('.');
  const statements = [
    ...settings
      .filter((setting) => !has(setting))
      .map(([name, value]) => `alter database ${database} set ${parameter(name)} = ${quoteLiteral(value)}`),
    ...withheld.filter(has).map(([name]) => `alter database ${database} reset ${parameter(name)}`),
  ];
  if (statements.length > 0) await session.exec(statements.join(';\n'));
}

/** The number of iterations for passwords that users choose, which is PostgreSQL's default. */
const chosenIterations = 4096;

/** Builds the verifier that PostgreSQL stores for a password (RFC 5803), so the password itself is never logged. */
export function scramVerifier(password: string, salt: Buffer, iterations = chosenIterations): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
