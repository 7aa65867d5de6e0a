/**
 * Connects to an external PostgreSQL server by its URL. Determines the kind of database, the available privileges, and
 * how each role signs in. The kinds are a database that Plinth manages or will manage, a database of the hosted
 * service, and a database whose Plinth schemas belong to another account. Plinth doesn't change databases of the hosted
 * service or databases whose Plinth schemas belong to another account.
 *
 * In a database that Plinth manages, Plinth's login roles get passwords that are derived from the URL's password. All
 * processes with this URL derive the same passwords, and the URL's password itself isn't valid for any of these roles.
 * If these passwords can't be set, Plinth tries to sign in as these roles with the URL's password. If the URL's
 * password is also rejected, Plinth signs in with the account in the URL and switches to each role.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { budgetOf } from '../connection-budget.ts';
import { DatabaseError } from '../errors.ts';
import { lockExclusively } from '../exclusive-lock.ts';
import { ownLoginRoles, setPasswords } from '../logins.ts';
import { retryRoleChanges } from '../migrate/retry-role-changes.ts';
import { ownSessionSettings, superuserSettings } from '../superuser.ts';
import type { LoginRole } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { coordinatorOnly, prepareWorkers } from './citus.ts';
import type { ExternalOptions } from './examine.ts';
import { openPooler, type Pooler } from './pooler.ts';
import {
  type Connected,
  isManagedByOthers,
  manageStatement,
  preparesDatabase,
  rejectUnusable,
  runPreflight,
} from './preflight/index.ts';
import { loginOf, loginsOf, withSearchPath } from './role-options.ts';
import { type ExternalUrls, readExternalUrl, readPooledUrl } from './url.ts';

export interface External {
  /** A session of the account in the URL. Plinth's numbered SQL files are applied in this session. */
  readonly session: Client;
  /** A URI for the account. The URI doesn't depend on environment variables. */
  readonly url: string;
  readonly ownsSchemas: boolean;
  readonly serverVersion: number;
  /** Returns the connection options for a role. Available after {@link External.prepareLogins}. */
  readonly target: (role: LoginRole) => ConnectionOptions;
  /**
   * Returns the connection options for any role and any database on the server. For a role that isn't one of Plinth's,
   * the options contain the URL's password.
   */
  readonly targetOf: (role: string, database: string) => Promise<ConnectionOptions>;
  /** The pooler that requests use. Available after {@link External.prepareLogins}. */
  readonly pooler: () => Pooler | undefined;
  /** Returns the facts about the connection that can't be read again later. */
  readonly connected: () => Connected;
  /**
   * Determines how to sign in as each role, and lets other processes prepare the database. This method must be called
   * once the roles exist.
   */
  prepareLogins(): Promise<void>;
  /**
   * The URL for the project's own code, available after {@link External.prepareLogins}. The user in this URL is
   * `postgres` if possible, and otherwise the account in the original URL.
   */
  projectUrl(): string;
}

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

/**
 * Checks the server and connects to it.
 * @throws {DatabaseError} bad_url, unreachable, or unusable if the preflight fails
 */
export async function connectExternal(
  urls: ExternalUrls,
  {
    sharedPassword,
    environment,
    node,
    log,
    check,
    signal,
  }: ExternalOptions & {
    readonly log: Logger;
    /** Ends the session when it is aborted, including the wait for another process that prepares the database. */
    readonly signal?: AbortSignal | undefined;
    /** Called before the first change. The callback throws an error to reject the database. */
    readonly check: (session: Client, host: string) => Promise<void>;
  },
): Promise<External> {
  const { base, url, forAccount } = await readExternalUrl(urls.direct, environment);
  const pooled = await readPooledUrl(urls, environment);
  const logins = loginsOf(base, sharedPassword);
  const budget = budgetOf({ ...node, isPooled: pooled !== undefined });
  // Without the lock, the preflight could see the roles and schemas of a database that is half prepared.
  const { session, facts, findings } = await runPreflight(base, {
    logins,
    budget,
    beforeReading: (opened) => lockPreparation(opened, log, signal),
    signal,
  });
  try {
    rejectUnusable(findings, base.host);
    for (const { message } of findings.filter(({ status }) => status === 'degraded')) {
      log.warn({ service: 'database' }, message);
    }
    await check(session, base.host);
    const { isSuperuser } = facts.login;
    const ownsSchemas = preparesDatabase(facts);
    const options = new Map<LoginRole, ConnectionOptions>();
    await session.exec('set default_transaction_read_only = off');
    let pooler: Pooler | undefined;
    const usesCitus = facts.citus !== undefined;
    const ownSettings = usesCitus ? coordinatorOnly : {};
    for (const [name, value] of Object.entries(ownSettings)) await session.exec(`set ${name} = ${value}`);
    const asOwner = (role: LoginRole): ConnectionOptions =>
      role === base.user
        ? withSearchPath(base, role)
        : withSearchPath({ ...base, options: joinOptions(base.options, `-c role=${role}`) }, role);

    if (ownsSchemas && isSuperuser && base.user !== 'supabase_admin') {
      // As on the embedded server, Plinth's objects belong to supabase_admin, so that default privileges and guards are
      // the same on all servers.
      if (!facts.roles.supabase_admin?.isSuperuser) await retryRoleChanges(() => createAdmin(session));
      await session.exec('set role supabase_admin');
    }
    if (ownsSchemas && isSuperuser && facts.version < 170_000) await session.exec(takeEventTriggers);

    return {
      session,
      url,
      ownsSchemas,
      serverVersion: facts.version,
      pooler: () => pooler,
      connected: () => ({
        budget,
        pooler: facts.pooler,
        authenticator:
          options.get('authenticator')?.user === 'authenticator' ? 'accepted' : facts.authenticator,
      }),
      target(role) {
        if (role === 'supabase_admin') {
          return isSuperuser && ownsSchemas
            ? { ...asOwner(role), parameters: { ...superuserSettings(facts.version), ...ownSettings } }
            : { ...base, parameters: { ...ownSessionSettings, ...ownSettings } };
        }
        const signedIn = options.get(role) ?? loginOf(base, role);
        if (role === 'authenticator' && usesCitus) return { ...signedIn, passesSettingsOn: true };
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
        let rejected: readonly Rejected[] = serviceRoles.map((role) => ({ role, error: undefined }));
        if (logins !== undefined && ownsSchemas) {
          const derived = (role: LoginRole): ConnectionOptions =>
            role === base.user ? withUrl(role) : { ...withUrl(role), password: logins.password(role) };
          rejected = await tryLogins(rolesOf(rejected), derived, options);
          if (rejected.length > 0 && !isManagedByOthers(facts)) {
            const roles = [...ownLoginRoles, ...(isSuperuser ? await ownPostgres(session, base) : [])];
            const others = roles.filter((role) => role !== base.user);
            await retryRoleChanges(() => setPasswords(session, logins, others)).catch(() => {});
            rejected = await tryLogins(rolesOf(rejected), derived, options);
          }
          if (options.has('authenticator') && facts.manager === undefined) {
            // This statement fails if another account created the role `authenticator`.
            await retryRoleChanges(() => session.exec(manageStatement(base.user))).catch(() => {});
          }
        }
        for (const { role, error } of await tryLogins(rolesOf(rejected), withUrl, options)) {
          if (role === 'postgres' && !isSuperuser && !(await isMember(session, role))) {
            // If the account in the URL isn't a member of the server's `postgres` role, the project's code runs as the
            // account itself.
            options.set(role, withSearchPath(base, role));
            continue;
          }
          if (role === 'supabase_read_only_user' && !isSuperuser) {
            // Plinth can't sign in as the read-only role, so only a read-only transaction and the query check protect
            // the database.
            options.set(role, options.get('postgres') ?? base);
            continue;
          }
          // If the login is a superuser, its session must not switch to the role, because SQL in the session could
          // return to the superuser with SET ROLE NONE, although not with RESET ROLE.
          if (role !== 'postgres' && isSuperuser) {
            throw new DatabaseError('login_refused', { role, reason: (error as Error).message }, error);
          }
          options.set(role, asOwner(role));
          log.debug({ service: 'database', role }, 'The user of the database URL switches to this role');
        }
        if (usesCitus && ownsSchemas) {
          const settings = isSuperuser ? superuserSettings(facts.version) : ownSessionSettings;
          await prepareWorkers(session, () => Client.connect({ ...base, parameters: settings }), log);
        }
        if (pooled !== undefined) {
          const direct = (role: LoginRole) => options.get(role) ?? loginOf(base, role);
          pooler = await openPooler({ base: pooled, direct, session });
          const { host, port, tracksStatements } = pooler;
          log.info(
            { service: 'database', host, port, tracksStatements },
            'Requests use the pooler. Sessions connect to PostgreSQL directly',
          );
        }
        await session.exec(`select pg_catalog.pg_advisory_unlock_all()`);
      },
      projectUrl() {
        const { user, password } = options.get('postgres') ?? base;
        return user === base.user || password === undefined ? url : forAccount(user, password);
      },
    };
  } catch (error) {
    session.connection.destroy();
    throw error;
  }
}

/**
 * Waits until no other process prepares this database, and prevents others from doing so until the session ends or
 * {@link External.prepareLogins} has finished.
 */
async function lockPreparation(session: Client, log: Logger, signal: AbortSignal | undefined): Promise<void> {
  // A limit of the account must not end the wait.
  await session.exec('set statement_timeout = 0; set lock_timeout = 0');
  await lockExclusively(session, 'preparation', {
    signal,
    onWait: () =>
      log.warn({ service: 'database' }, 'Waiting for another process that is preparing the database'),
  });
}

/**
 * Disables the project's event triggers, and makes the superuser their owner, so that the project can't enable them.
 * Before PostgreSQL 17, they would run in Plinth's superuser sessions.
 */
const takeEventTriggers = `
do $$
declare
  trigger_name name;
begin
  for trigger_name in
    select t.evtname from pg_catalog.pg_event_trigger t
    join pg_catalog.pg_roles r on r.oid operator(pg_catalog.=) t.evtowner and not r.rolsuper
  loop
    execute pg_catalog.format('alter event trigger %I disable', trigger_name);
    execute pg_catalog.format('alter event trigger %I owner to current_user', trigger_name);
  end loop;
end
$$`;

/** Creates the superuser that Plinth's objects belong to, or makes the existing role a superuser. */
async function createAdmin(session: Client): Promise<void> {
  const [row] = await session.query<{ exists: boolean }>(
    sql`select exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin') as exists`,
  );
  const verb = row?.exists ? 'alter' : 'create';
  await session.exec(`${verb} role supabase_admin superuser createdb createrole replication bypassrls`);
}

async function isMember(session: Client, role: string): Promise<boolean> {
  const [row] = await session.query<{ isMember: boolean }>(
    sql`select pg_catalog.pg_has_role(${role}, 'member') as "isMember"`,
  );
  return row?.isMember ?? false;
}

interface Rejected {
  readonly role: LoginRole;
  readonly error: unknown;
}

const rolesOf = (rejected: readonly Rejected[]): LoginRole[] => rejected.map(({ role }) => role);

/** Tries to sign in as each role, stores the options that work, and returns the rejected roles with the errors. */
async function tryLogins(
  roles: readonly LoginRole[],
  targetOf: (role: LoginRole) => ConnectionOptions,
  options: Map<LoginRole, ConnectionOptions>,
): Promise<Rejected[]> {
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
 * Returns `postgres` if Plinth may set this role's password, because the role has no password or has the URL's
 * password, which an earlier version of Plinth set. Returns an empty list if the role is a superuser or has a different
 * password.
 */
async function ownPostgres(session: Client, base: ConnectionOptions): Promise<string[]> {
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
