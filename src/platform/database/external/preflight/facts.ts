/** The properties of an external server that the preflight's findings depend on. */
import { quoteLiteral } from '../../../../base/kernel/sql.ts';
import type { ConnectionBudget } from '../../connection-budget.ts';
import type { CitusFacts } from '../citus.ts';
import type { Provider } from './providers.ts';

export interface Facts {
  /** The value of `server_version_num`, for example 150012. */
  readonly version: number;
  readonly login: LoginFacts;
  readonly database: {
    readonly name: string;
    readonly encoding: string;
    readonly isOwned: boolean;
  };
  readonly pooler: PoolerKind;
  readonly isEncrypted: boolean;
  /** Whether the client and the server have the same IP address. */
  readonly isLocal: boolean;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /**
   * The number of connections that the limits of the server, the database and the account still allow, after
   * subtracting those that other programs use.
   */
  readonly freeConnections: number;
  readonly maxConnections: number;
  /** The limits that don't leave enough connections for one node. */
  readonly tightLimits: readonly ('server' | 'database' | 'account')[];
  readonly walLevel: string;
  readonly maxSlots: number;
  readonly freeSlots: number;
  readonly maxWalSenders: number;
  readonly freeWalSenders: number;
  /** Whether nodes can share a replication slot, as described in services/realtime/changes/group/group-slot.ts. */
  readonly allowsSharedSlot: boolean;
  /** Plinth's existing roles, by name. */
  readonly roles: Readonly<Record<string, RoleFacts>>;
  /** Plinth's existing schemas, by name. Each value specifies whether this account owns the schema. */
  readonly schemas: Readonly<Record<string, boolean>>;
  /** Whether Plinth has already prepared this database. */
  readonly hasLedger: boolean;
  readonly hasAuthUsers: boolean;
  readonly eventTriggers: readonly string[];
  /** Extensions that the server provides or that are installed in the database. */
  readonly extensions: readonly string[];
  /** Used extensions that the server provides, that aren't installed and that only a superuser can create. */
  readonly superuserExtensions: readonly string[];
  /** The account that manages the passwords of Plinth's roles on this server, if it is known. */
  readonly manager: string | undefined;
  readonly authenticator: AuthenticatorLogin;
  /** Undefined if the database doesn't use Citus. */
  readonly citus?: CitusFacts | undefined;
  /** The provider of a managed server, if it is recognizable. */
  readonly provider: Provider | undefined;
  /** The connections that this node uses at most. */
  readonly budget: ConnectionBudget;
}

interface LoginFacts {
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly canCreateRoles: boolean;
  readonly bypassesRls: boolean;
  readonly hasReplication: boolean;
}

export interface RoleFacts {
  readonly isSuperuser: boolean;
  readonly bypassesRls: boolean;
  readonly hasReplication: boolean;
  /** Whether this account can switch to the role. */
  readonly isMember: boolean;
  /** Whether this account can grant the role to other roles. */
  readonly isAdmin: boolean;
}

/**
 * The kind of pooler. A `session` pooler assigns a server connection to a client for the whole session, and a
 * `transaction` pooler assigns it only for a transaction. A `restricted` pooler rejects or ignores the startup
 * parameters of Plinth's sessions.
 */
export type PoolerKind = 'none' | 'session' | 'transaction' | 'restricted';

/**
 * The result of signing in as `authenticator` with the password that this account's projects use. `needs password`
 * means that the server requires a password, which can't be derived because the URL doesn't contain one.
 */
export type AuthenticatorLogin = 'absent' | 'accepted' | 'rejected' | 'no password' | 'needs password';

/**
 * Whether Plinth prepares this database. A database that Plinth doesn't prepare belongs to the hosted service or to
 * another account.
 */
export function preparesDatabase({ hasLedger, login, schemas }: Facts): boolean {
  return hasLedger ? login.isSuperuser || schemas._plinth === true : schemas.auth === undefined;
}

/**
 * Whether another project's account manages the passwords of Plinth's roles. If so, Plinth must not change these
 * passwords.
 */
export function isManagedByOthers(facts: Facts): boolean {
  if (facts.authenticator !== 'rejected') return false;
  return facts.manager === undefined ? !facts.hasLedger : facts.manager !== facts.login.name;
}

/** The roles that Plinth's services sign in as or switch to. Plinth's other roles are optional. */
export const requiredRoles: readonly string[] = [
  'anon',
  'authenticated',
  'service_role',
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
  'supabase_functions_admin',
];

export const replicationRole = 'supabase_replication_admin';

export const plinthRoles: readonly string[] = [
  ...requiredRoles,
  replicationRole,
  'supabase_admin',
  'postgres',
];

/** Schemas that contain only Plinth's objects. The schema `auth` isn't listed, because it is checked separately. */
export const exclusiveSchemas: readonly string[] = [
  '_plinth',
  'storage',
  'realtime',
  '_realtime',
  'supabase_functions',
  'vault',
];

/** Schemas that other programs may have created. */
export const sharedSchemas: readonly string[] = ['extensions', 'graphql', 'graphql_public'];

export const schemaEventTriggers: readonly string[] = [
  'pgrst_ddl_watch',
  'pgrst_drop_watch',
  'plinth_guard_dropped',
  'plinth_guard_altered',
  'plinth_guard_foreign_keys',
];

/** Extensions that Plinth or many projects use. */
export const usedExtensions: readonly string[] = [
  'pgcrypto',
  'uuid-ossp',
  'vector',
  'pg_cron',
  'http',
  'pg_graphql',
  'moddatetime',
];

const prefix = 'Plinth manages the passwords of its roles through the login ';

/**
 * The account that manages the passwords of Plinth's roles on a server. Roles belong to the whole server, so the
 * account is stored in the comment of the role `authenticator` (docs/decisions/0051-external-preflight.md).
 */
export function managerIn(comment: string | null): string | undefined {
  return comment?.startsWith(prefix) ? comment.slice(prefix.length) : undefined;
}

/**
 * Returns the statement that stores the account in the role's comment.
 * @example manageStatement('app') // "comment on role authenticator is 'Plinth manages … the login app'"
 */
export const manageStatement = (login: string): string =>
  `comment on role authenticator is ${quoteLiteral(prefix + login)}`;
