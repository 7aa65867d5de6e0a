/** What a persona is to the database: role, claims and settings, the same as for a request of its own to REST. */
import type {
  Database,
  LoginRole,
  Queryable,
  Setting,
  TransactionOptions,
  TransactionWork,
} from '../../database/types.ts';
import { quoteIdentifier } from '../../kernel/sql.ts';
import { may, type OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Claims, Persona } from './persona.ts';
import { findUser, type PersonaUser } from './queries.ts';

export interface Identity {
  /** The database role. */
  readonly role: string;
  /** Undefined for the operator, who has no token. */
  readonly claims: Claims | undefined;
  /** Email address, number, or what else a person would call it. */
  readonly name: string;
  /** The role that the operator's own statements sign in as. */
  readonly operatorRole: LoginRole;
}

/**
 * The owner of the users' tables; for operators who may only look a role that reads every table, writes none, and can't
 * become a role that does.
 */
export const databaseRoleOf = (role: OperatorRole): LoginRole =>
  may(role, 'write') ? 'postgres' : 'supabase_read_only_user';

/** As long as a fresh access token of auth's default settings. */
const lifetimeSeconds = 3600;

/** @throws {ConsoleError} not_found, when there is no such user (any more). */
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
      if (user === undefined)
        throw new ConsoleError('not_found', { message: 'There is no such user (any more).' });
      const claims = claimsOf(user, Math.floor(nowMs / 1000));
      return { role: claims.role, claims, name: user.email || user.phone || user.id, operatorRole };
    }
  }
}

/** What auth writes into an access token after a sign-in with one factor (auth 2.196), without a session's id. */
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

/** Local settings of a transaction, in REST's order. */
export function settingsOf(
  { role, claims }: Pick<Identity, 'role' | 'claims'>,
  searchPath: readonly string[],
): Setting[] {
  return [
    ['search_path', searchPath.map(quoteIdentifier).join(', ')],
    ['role', role],
    ['request.jwt.claims', JSON.stringify(claims ?? {})],
  ];
}

/** Functions find what they call here, as they do for a request to the first exposed schema. */
export const defaultSearchPath: readonly string[] = ['public', 'extensions'];

/**
 * A transaction as that identity. The operator's runs on the pool of their own role; everybody else's begins as
 * `authenticator`, whose memberships say which roles a request may have.
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
