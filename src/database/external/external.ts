/**
 * Another PostgreSQL than the embedded one, given by its URL: what it is, what may be done there, and how each role
 * signs in. Three cases: a database that is or becomes ours; a database of the hosted service; ours, seen by an
 * account that does not own our schemas. In the last two nothing is changed.
 */
import type { Logger } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import { setPasswords } from '../login.ts';
import { ownSessionSettings, superuserSettings } from '../superuser.ts';
import type { LoginRole } from '../types.ts';
import {
  Client,
  type ConnectionOptions,
  ConnectionStringError,
  parseConnectionString,
} from '../wire/index.ts';

export interface External {
  /** The URL's own account; for our numbered files. */
  readonly session: Client;
  readonly ownsSchemas: boolean;
  readonly serverVersion: number;
  /** How a role signs in. Complete after {@link External.prepareLogins}. */
  readonly target: (role: LoginRole) => ConnectionOptions;
  /** How any role signs in to a database of that server: with the URL's password. */
  readonly targetOf: (role: string, database: string) => ConnectionOptions;
  /** To be called once the roles are there. */
  prepareLogins(): Promise<void>;
}

const oldestVersion = 150_000;

const serviceRoles: readonly LoginRole[] = [
  'postgres',
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
  'supabase_functions_admin',
  'supabase_read_only_user',
];

interface Facts {
  version: number;
  superuser: boolean;
  /** Somebody's `auth` schema. */
  hasAuth: boolean;
  hasLedger: boolean;
  /** We may write into `_plinth`. */
  ownsLedger: boolean;
  hasAdmin: boolean;
  adminIsSuperuser: boolean;
}

export async function connectExternal(url: string, log: Logger): Promise<External> {
  const base = readUrl(url);
  const session = await openAs({ ...base, parameters: ownSessionSettings });
  try {
    const facts = await readFacts(session);
    if (facts.version < oldestVersion) {
      throw new DatabaseError('version_too_old', {
        host: base.host,
        found: session.connection.parameters.get('server_version'),
      });
    }
    const ownsSchemas = facts.hasLedger ? facts.superuser || facts.ownsLedger : !facts.hasAuth;
    const options = new Map<LoginRole, ConnectionOptions>();
    const asOwner = (role: LoginRole): ConnectionOptions =>
      role === base.user
        ? withSearchPath(base, role)
        : withSearchPath({ ...base, options: joinOptions(base.options, `-c role=${role}`) }, role);

    if (ownsSchemas && facts.superuser && base.user !== 'supabase_admin') {
      // Our objects belong to supabase_admin here too, so that default privileges and guards are the same everywhere.
      const verb = facts.hasAdmin ? 'alter' : 'create';
      if (!facts.adminIsSuperuser) {
        await session.exec(`${verb} role supabase_admin superuser createdb createrole replication bypassrls`);
      }
      await session.exec('set role supabase_admin');
    }

    return {
      session,
      ownsSchemas,
      serverVersion: facts.version,
      target(role) {
        if (role === 'supabase_admin') {
          return facts.superuser && ownsSchemas
            ? { ...asOwner(role), parameters: superuserSettings(facts.version) }
            : { ...base, parameters: ownSessionSettings };
        }
        return options.get(role) ?? loginOf(base, role);
      },
      targetOf: (role, database) => ({
        ...(options.get(role as LoginRole) ?? loginOf(base, role)),
        database,
      }),
      async prepareLogins() {
        const refused = await tryLogins(base, serviceRoles, options);
        if (refused.length === 0) return;
        if (ownsSchemas && base.password !== undefined) {
          await setPasswords(session, base.password, await newPostgres(session, facts)).catch(() => {});
        }
        for (const { role, error } of await tryLogins(
          base,
          refused.map(({ role }) => role),
          options,
        )) {
          if (role === 'supabase_read_only_user' && !facts.superuser) {
            // Nobody gives us that login: what remains is a read-only transaction of judged queries.
            options.set(role, options.get('postgres') ?? base);
            continue;
          }
          // Only where no superuser's session stands behind it: RESET ROLE leads back to the role, SET ROLE NONE does not.
          if (role !== 'postgres' && facts.superuser) {
            throw new DatabaseError('login_refused', { role, reason: (error as Error).message }, error);
          }
          options.set(role, asOwner(role));
          log.debug(
            { service: 'database', role },
            'The role is used through the account of the database URL',
          );
        }
      },
    };
  } catch (error) {
    session.connection.destroy();
    throw error;
  }
}

function readUrl(url: string): ConnectionOptions {
  try {
    return {
      applicationName: 'plinth',
      ...withoutUndefined(parseConnectionString(url)),
    } as ConnectionOptions;
  } catch (error) {
    if (error instanceof ConnectionStringError)
      throw new DatabaseError('bad_url', { reason: error.message }, error);
    throw error;
  }
}

async function openAs(target: ConnectionOptions): Promise<Client> {
  try {
    return await Client.connect(target);
  } catch (error) {
    const { host, user } = target;
    throw new DatabaseError('unreachable', { host, user, reason: (error as Error).message }, error);
  }
}

async function readFacts(session: Client): Promise<Facts> {
  const [facts] = await session.query<Facts>(sql`
    select current_setting('server_version_num')::int as version,
           (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as superuser,
           to_regnamespace('auth') is not null as "hasAuth",
           to_regclass('_plinth.migrations') is not null as "hasLedger",
           coalesce((select pg_has_role(nspowner, 'usage') from pg_catalog.pg_namespace where nspname = '_plinth'), false)
             as "ownsLedger",
           exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin') as "hasAdmin",
           exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin' and rolsuper) as "adminIsSuperuser"`);
  return facts as Facts;
}

/** Signs in as each role with the URL's password; those that cannot are returned. */
async function tryLogins(
  base: ConnectionOptions,
  roles: readonly LoginRole[],
  options: Map<LoginRole, ConnectionOptions>,
): Promise<{ role: LoginRole; error: unknown }[]> {
  const results = await Promise.all(
    roles.map(async (role) => {
      const target = loginOf(base, role);
      try {
        const client = await Client.connect(target);
        options.set(role, target);
        await client.connection.close();
        return undefined;
      } catch (error) {
        return { role, error };
      }
    }),
  );
  return results.filter((result) => result !== undefined);
}

/** Elsewhere `postgres` may be somebody's superuser, whose search path we do not set; migrations count on this one. */
function loginOf(base: ConnectionOptions, role: string): ConnectionOptions {
  return withSearchPath({ ...base, user: role }, role);
}

function withSearchPath(target: ConnectionOptions, role: string): ConnectionOptions {
  return role === 'postgres'
    ? { ...target, parameters: { search_path: '"$user", public, extensions' } }
    : target;
}

/** `postgres` when the bootstrap has just made it, since nobody gave it a password yet; never somebody's own account. */
async function newPostgres(session: Client, facts: Facts): Promise<string[]> {
  if (!facts.superuser) return [];
  const rows = await session.query<{ name: string }>(sql`
    select rolname::text as name from pg_catalog.pg_authid
    where rolname = 'postgres' and rolpassword is null and not rolsuper`);
  return rows.map(({ name }) => name);
}

function joinOptions(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first} ${second}`;
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
