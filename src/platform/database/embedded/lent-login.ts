/**
 * Creates a temporary login with which Plinth can act as a role of the project, because Plinth doesn't have the role's
 * password. The temporary login role has only the privilege to switch to the project's role. If Plinth signed in as a
 * more powerful role instead, SQL in the session could switch back to the more powerful role and use its privileges.
 * Switching back to the temporary login role gives no additional privileges. The password of the login role expires
 * after a short time, because SQL in the session could change the password.
 */
import { quoteIdentifier, quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type { Logins } from '../logins/passwords.ts';
import type { Queryable } from '../types.ts';
import { PostgresError } from '../wire/index.ts';

export interface LentLogin {
  readonly user: string;
  readonly password: string;
  /** The settings that would apply if the project's role itself signed in. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface RoleFacts {
  oid: number;
  mayLogIn: boolean;
  superuser: boolean;
}

const validSeconds = 60;

/**
 * Creates the login. `session` must be a session of a superuser.
 * @throws {PostgresError} if the role isn't allowed to sign in
 */
export async function lendLogin(
  session: Queryable,
  logins: Logins,
  role: string,
  database: string,
): Promise<LentLogin> {
  const [facts] = await session.query<RoleFacts>(sql`
    select oid::int8::int4 as oid, rolcanlogin as "mayLogIn", rolsuper as superuser
    from pg_catalog.pg_roles where rolname = ${role}`);
  if (facts === undefined) throw rejection(`role "${role}" does not exist`);
  if (!facts.mayLogIn || facts.superuser) throw rejection(`role "${role}" is not permitted to log in`);
  const settings = await session.query<{ name: string; value: string }>(sql`
    select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    cross join unnest(s.setconfig) as setting
    left join pg_catalog.pg_settings known on known.name = lower(split_part(setting, '=', 1))
    where s.setrole = (select oid from pg_catalog.pg_roles where rolname = ${role})
      and (s.setdatabase = 0 or d.datname = ${database})
      and coalesce(known.context, 'user') = 'user'
    order by s.setdatabase`);
  const user = `plinth_as_${facts.oid}`;
  await session.exec(`do ${quoteLiteral(preparation(user, role, logins.verifier(user)))}`);
  return {
    user,
    password: logins.password(user),
    parameters: { ...Object.fromEntries(settings.map(({ name, value }) => [name, value])), role },
  };
}

/**
 * Returns the statements that prepare the temporary login. The statements acquire a lock because another process may be
 * preparing the same login.
 */
function preparation(user: string, role: string, verifier: string): string {
  const name = quoteIdentifier(user);
  return `begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext(${quoteLiteral(user)}));
  set local pg_stat_statements.track_utility = off;
  if not exists (select from pg_catalog.pg_roles where rolname = ${quoteLiteral(user)}) then
    create role ${name};
  end if;
  execute pg_catalog.format(
    'alter role ${name} login noinherit password %L valid until %L', ${quoteLiteral(verifier)},
    pg_catalog.clock_timestamp() + interval '${validSeconds} seconds');
  grant ${quoteIdentifier(role)} to ${name} with inherit false, set true;
end`;
}

function rejection(message: string): PostgresError {
  return new PostgresError({ code: '28000', severity: 'FATAL', message });
}
