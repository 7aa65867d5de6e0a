/** Passwords of the login roles and settings of the database: compared at every start, written only on a difference. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { quoteIdentifier, quoteLiteral, sql } from '../kernel/sql.ts';
import type { Queryable, Setting } from './types.ts';

const iterations = 4096;

/** The form in which PostgreSQL keeps a password (RFC 5803), made here so that the password itself is never logged. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** True when `verifier` was made from `password`. */
export function matchesVerifier(verifier: string | null, password: string): boolean {
  const salt = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(verifier ?? '')?.[1];
  return salt !== undefined && scramVerifier(password, Buffer.from(salt, 'base64')) === verifier;
}

/** The roles of ours that may sign in; nobody else's password is ever touched. */
const ownLoginRoles: readonly string[] = [
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

/** Gives our login roles, and those of `others`, one password. Needs the right to. */
export async function setPasswords(
  session: Queryable,
  password: string,
  others: readonly string[],
): Promise<void> {
  const wanted = [...ownLoginRoles, ...others].map(quoteLiteral).join(', ');
  const roles = await session.query<{ name: string }>(
    sql`select rolname::text as name from pg_catalog.pg_roles where rolcanlogin and rolname in (${sql.raw(wanted)})`,
  );
  const verifier = quoteLiteral(scramVerifier(password));
  await session.exec(
    roles.map(({ name }) => `alter role ${quoteIdentifier(name)} password ${verifier}`).join(';\n'),
  );
}

/**
 * In our own cluster: gives every login role `password` when `postgres` has another one, and the database its settings
 * (`app.settings.jwt_secret` and the like).
 */
export async function applyLogins(
  session: Queryable,
  password: string,
  databaseSettings: readonly Setting[],
): Promise<void> {
  const [found] = await session.query<{
    verifier: string | null;
    settings: string[] | null;
    database: string;
  }>(sql`
    select (select rolpassword from pg_catalog.pg_authid where rolname = 'postgres') as verifier,
           current_database()::text as database,
           (select s.setconfig from pg_catalog.pg_db_role_setting s
             join pg_catalog.pg_database d on d.oid = s.setdatabase
             where d.datname = current_database() and s.setrole = 0) as settings`);
  if (!matchesVerifier(found?.verifier ?? null, password))
    await setPasswords(session, password, ['postgres']);
  const database = quoteIdentifier(found?.database ?? 'postgres');
  const statements = databaseSettings
    .filter(([name, value]) => !found?.settings?.includes(`${name}=${value}`))
    .map(([name, value]) => {
      const parameter = name.split('.').map(quoteIdentifier).join('.');
      return `alter database ${database} set ${parameter} = ${quoteLiteral(value)}`;
    });
  if (statements.length > 0) await session.exec(statements.join(';\n'));
}
