/** Determines the role, claims and settings that the database would use for a REST request from a persona. */
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import type {
  Database,
  LoginRole,
  Queryable,
  Setting,
  TransactionOptions,
  TransactionWork,
} from '../../../platform/database/types.ts';
import { may, type OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { UserChoice } from './contract.ts';
import type { Claims, Persona } from './persona.ts';

export interface Identity {
  /** The persona's database role. */
  readonly role: string;
  /** Undefined for the operator, because the operator has no token. */
  readonly claims: Claims | undefined;
  /** The display name, which is an email address, a phone number or an ID. */
  readonly name: string;
  /** The login role for the operator's own statements. */
  readonly operatorRole: LoginRole;
}

/**
 * Returns the login role for an operator's own statements. Operators with the `write` permission get the role that owns
 * the project's tables. Read-only operators get a role that can read every table, but can't write to tables or switch
 * to a role that can write to tables.
 */
export const databaseRoleOf = (role: OperatorRole): LoginRole =>
  may(role, 'write') ? 'postgres' : 'supabase_read_only_user';

/** The default lifetime of access tokens in the auth configuration. */
const lifetimeSeconds = 3600;

/** Returns the persona's identity. @throws {ConsoleError} not_found if the user doesn't exist */
export async function identify(
  db: Queryable,
  persona: Persona,
  nowMs: number,
  operator: OperatorRole,
): Promise<Identity> {
  const operatorRole = databaseRoleOf(operator);
  switch (persona.kind) {
    case 'operator':
      return { role: operatorRole, claims: undefined, name: operatorRole, operatorRole };
    case 'anon':
      return { role: 'anon', claims: { role: 'anon' }, name: 'anon', operatorRole };
    case 'claims': {
      const { role, sub } = persona.claims;
      return { role, claims: persona.claims, name: typeof sub === 'string' ? sub : role, operatorRole };
    }
    case 'user': {
      const user = await findUser(db, persona.id);
      if (user === undefined) throw new ConsoleError('not_found', { message: "This user doesn't exist." });
      const claims = claimsOf(user, Math.floor(nowMs / 1000));
      return { role: claims.role, claims, name: user.email || user.phone || user.id, operatorRole };
    }
  }
}

/**
 * Returns the claims that auth 2.196 adds to an access token after a sign-in with a single factor, except for the
 * session ID.
 */
function claimsOf(user: PersonaUser, nowSeconds: number): Claims {
  return {
    sub: user.id,
    aud: user.aud ?? '',
    exp: nowSeconds + lifetimeSeconds,
    iat: nowSeconds,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role || 'authenticated',
    aal: 'aal1',
    is_anonymous: user.is_anonymous,
  };
}

export const searchPathSetting = (path: readonly string[]): Setting => [
  'search_path',
  path.map(quoteIdentifier).join(', '),
];

/** Returns the local settings of a transaction in the order in which the REST service sets them. */
export function settingsOf(
  { role, claims }: Pick<Identity, 'role' | 'claims'>,
  searchPath: readonly string[],
): Setting[] {
  return [
    searchPathSetting(searchPath),
    ['role', role],
    ['request.jwt.claims', JSON.stringify(claims ?? {})],
  ];
}

/** The search path that the REST service sets for requests to the default schema, `public`. */
export const defaultSearchPath: readonly string[] = ['public', 'extensions'];

/**
 * Runs a transaction as an identity. If the identity is the operator, the transaction uses the connection pool for the
 * operator's role. All other transactions log in as `authenticator`, which can switch only to the roles that REST
 * requests can have.
 */
export function asIdentity<T>(
  database: Database,
  identity: Identity,
  work: TransactionWork<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { settings = [] } = options;
  if (identity.claims === undefined) return database.pool(identity.operatorRole).transaction(work, options);
  return database
    .pool('authenticator')
    .transaction(work, { ...options, settings: [...settings, ...settingsOf(identity, defaultSearchPath)] });
}

interface PersonaUser {
  id: string;
  email: string | null;
  phone: string | null;
  aud: string | null;
  role: string | null;
  is_anonymous: boolean;
  raw_app_meta_data: object | null;
  raw_user_meta_data: object | null;
}

const fields = sql.raw('id, email, phone, aud, role, is_anonymous, raw_app_meta_data, raw_user_meta_data');

async function findUser(db: Queryable, id: string): Promise<PersonaUser | undefined> {
  const [row] = await db.query<PersonaUser>(
    sql`select ${fields} from auth.users where id = ${id}::uuid and deleted_at is null`,
  );
  return row;
}

/**
 * Finds users whose name, email address, phone number or ID contains `search`. The users who signed in most recently
 * are listed first.
 */
export const searchUsers = (db: Queryable, search: string, limit: number): Promise<UserChoice[]> =>
  db.query<UserChoice>(sql`
    select id, coalesce(nullif(email, ''), nullif(phone, '')) as name, is_anonymous as guest
    from auth.users
    where deleted_at is null
      and (strpos(lower(coalesce(email, '')), lower(${search}::text)) > 0
        or strpos(coalesce(phone, ''), ${search}::text) > 0
        or strpos(lower(coalesce(raw_user_meta_data ->> 'full_name', raw_user_meta_data ->> 'name', '')),
                  lower(${search}::text)) > 0
        or strpos(id::text, lower(${search}::text)) > 0)
    order by last_sign_in_at desc nulls last, created_at desc limit ${limit}::int`);

/** Returns the IDs of the users who signed in most recently, and the number of all users. */
export async function listRecentUsers(
  db: Queryable,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly count: number }> {
  const rows = await db.query<{ id: string; count: number }>(sql`
    select id, count(*) over () as count from auth.users where deleted_at is null
    order by last_sign_in_at desc nulls last, created_at desc limit ${limit}::int`);
  return { ids: rows.map(({ id }) => id), count: rows[0]?.count ?? 0 };
}
