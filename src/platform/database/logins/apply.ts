/** Updates the passwords of the login roles and the database settings. */
import { quoteIdentifier, quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Setting } from '../types.ts';
import { type Logins, ownLoginRoles } from './passwords.ts';

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
