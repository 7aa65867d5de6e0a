/**
 * Connects to an external PostgreSQL by its URL. Determines the kind of database, the available privileges, and how
 * each role signs in. There are three cases: a database that is or becomes Plinth's, a database of the hosted service,
 * and a database of Plinth's that is accessed with an account that doesn't own Plinth's schemas. In the last two cases,
 * nothing is changed.
 *
 * In the first case, Plinth's login roles get passwords derived from the URL's password. All processes with this URL
 * derive the same passwords, and the URL's password itself isn't valid for any of these roles. If that isn't possible,
 * the URL's password is tried for the roles, and otherwise they are used through the URL's account.
 */
import type { Logger } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import { setPasswords } from '../logins/apply.ts';
import {
  clusterLogins,
  derivedLogins,
  type Logins,
  ownLoginRoles,
  secretOfUrlPassword,
} from '../logins/passwords.ts';
import { ownSessionSettings, superuserSettings } from '../superuser.ts';
import type { LoginRole } from '../types.ts';
import {
  Client,
  type ConnectionOptions,
  ConnectionStringError,
  parseConnectionString,
} from '../wire/index.ts';
import { withAccount } from './project-url.ts';

export interface External {
  /** A session of the URL's own account, for Plinth's numbered SQL files. */
  readonly session: Client;
  readonly ownsSchemas: boolean;
  readonly serverVersion: number;
  /** Returns how a role signs in. Complete after {@link External.prepareLogins}. */
  readonly target: (role: LoginRole) => ConnectionOptions;
  /**
   * Returns how any role signs in to a database on that server. A role that isn't one of Plinth's uses the URL's
   * password.
   */
  readonly targetOf: (role: string, database: string) => Promise<ConnectionOptions>;
  /** Must be called once the roles exist. */
  prepareLogins(): Promise<void>;
  /**
   * The URL for the project's own code, available after {@link External.prepareLogins}. Uses `postgres` unless that is
   * the URL's own account.
   */
  projectUrl(): string;
}

const oldestVersion = 150_000;

const serviceRoles: readonly LoginRole[] = [
  'postgres',
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
  'supabase_replication_admin',
  'supabase_functions_admin',
  'supabase_read_only_user',
];

interface Facts {
  version: number;
  superuser: boolean;
  /** Whether an `auth` schema exists that Plinth didn't create. */
  hasAuth: boolean;
  hasLedger: boolean;
  /** Whether this account can write to `_plinth`. */
  ownsLedger: boolean;
  hasAdmin: boolean;
  adminIsSuperuser: boolean;
}

export async function connectExternal(
  url: string,
  { sharedPassword, log }: { readonly sharedPassword: boolean; readonly log: Logger },
): Promise<External> {
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
      // On external servers too, Plinth's objects belong to supabase_admin so that default privileges and guards are
      // the same everywhere.
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
        const signedIn = options.get(role) ?? loginOf(base, role);
        return role === 'supabase_replication_admin'
          ? { ...signedIn, parameters: ownSessionSettings }
          : signedIn;
      },
      targetOf: async (role, database) => ({
        ...(options.get(role as LoginRole) ?? loginOf(base, role)),
        database,
      }),
      async prepareLogins() {
        const withUrl = (role: LoginRole) => loginOf(base, role);
        const logins = ownsSchemas ? loginsOf(base, sharedPassword) : undefined;
        let refused: readonly Refused[] = serviceRoles.map((role) => ({ role, error: undefined }));
        if (logins !== undefined) {
          const derived = (role: LoginRole): ConnectionOptions =>
            role === base.user ? withUrl(role) : { ...withUrl(role), password: logins.password(role) };
          refused = await tryLogins(rolesOf(refused), derived, options);
          if (refused.length > 0) {
            const roles = [...ownLoginRoles, ...(await ownPostgres(session, facts, base))];
            const others = roles.filter((role) => role !== base.user);
            await setPasswords(session, logins, others).catch(() => {});
            refused = await tryLogins(rolesOf(refused), derived, options);
          }
        }
        for (const { role, error } of await tryLogins(rolesOf(refused), withUrl, options)) {
          if (role === 'supabase_read_only_user' && !facts.superuser) {
            // That login isn't available, so the remaining protection consists of a read-only transaction and checked
            // queries.
            options.set(role, options.get('postgres') ?? base);
            continue;
          }
          // Only for sessions that don't belong to a superuser. RESET ROLE returns to the role, but SET ROLE NONE
          // doesn't.
          if (role !== 'postgres' && facts.superuser) {
            throw new DatabaseError('login_refused', { role, reason: (error as Error).message }, error);
          }
          options.set(role, asOwner(role));
          log.debug({ service: 'database', role }, 'The role is used through the user of the database URL');
        }
      },
      projectUrl() {
        const { user, password } = options.get('postgres') ?? base;
        return user === base.user || password === undefined ? url : withAccount(url, user, password);
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

interface Refused {
  readonly role: LoginRole;
  readonly error: unknown;
}

const rolesOf = (refused: readonly Refused[]): LoginRole[] => refused.map(({ role }) => role);

/** Stores how each role signs in and returns the roles that can't. */
async function tryLogins(
  roles: readonly LoginRole[],
  targetOf: (role: LoginRole) => ConnectionOptions,
  options: Map<LoginRole, ConnectionOptions>,
): Promise<Refused[]> {
  const results = await Promise.all(
    roles.map(async (role) => {
      const target = targetOf(role);
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

/**
 * Returns undefined if the URL doesn't contain a password. There is nothing to derive other passwords from, and the
 * server might not require any.
 */
function loginsOf({ password }: ConnectionOptions, shared: boolean): Logins | undefined {
  if (password === undefined) return undefined;
  const secret = secretOfUrlPassword(password);
  return shared ? clusterLogins(secret, { password, shared }) : derivedLogins(secret);
}

/**
 * On an external server, `postgres` may be an existing superuser whose search path Plinth doesn't change, but
 * migrations rely on this search path.
 */
function loginOf(base: ConnectionOptions, role: string): ConnectionOptions {
  return withSearchPath({ ...base, user: role }, role);
}

function withSearchPath(target: ConnectionOptions, role: string): ConnectionOptions {
  return role === 'postgres'
    ? { ...target, parameters: { search_path: '"$user", public, extensions' } }
    : target;
}

/**
 * Handles a `postgres` role that the bootstrap created. The role doesn't have a password yet, or it has the URL's
 * password, which earlier versions set. An account that is a superuser or has a different password isn't changed.
 */
async function ownPostgres(session: Client, facts: Facts, base: ConnectionOptions): Promise<string[]> {
  if (!facts.superuser) return [];
  const [found] = await session.query<{ hasPassword: boolean }>(sql`
    select rolpassword is not null as "hasPassword" from pg_catalog.pg_authid
    where rolname = 'postgres' and not rolsuper`);
  if (found === undefined) return [];
  if (!found.hasPassword) return ['postgres'];
  return (await tryLogins(['postgres'], (role) => loginOf(base, role), new Map())).length === 0
    ? ['postgres']
    : [];
}

function joinOptions(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first} ${second}`;
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
