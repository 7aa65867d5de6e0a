/** Statements on auth.users. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { JsonObject } from './json.ts';
import type { Page } from './pagination.ts';
import type { User, UserColumns } from './rows.ts';
import { fromMs } from './times.ts';

/**
 * The instance that all users belong to. Database dumps of old multi-tenant projects can also contain users of other
 * instances. Users of other instances are excluded.
 */
export const noInstance = '00000000-0000-0000-0000-000000000000';

export const userColumns = sql`
  u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token,
  u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change,
  u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at,
  u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at,
  u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token,
  u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous`;

/** `to_json` formats times in ISO 8601, which `toRfc3339` can parse. */
export const userRelations = sql`
  (select coalesce(json_agg(i order by i.created_at, i.id), '[]') from auth.identities i where i.user_id = u.id)
    as identities,
  (select coalesce(json_agg(f order by f.created_at, f.id), '[]')
     from (select id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone,
                  last_challenged_at, web_authn_aaguid, last_webauthn_challenge_data
             from auth.mfa_factors where user_id = u.id) f) as factors`;

/** Finds a user and evaluates further expressions in the same statement. @param more Starts with a comma */
export async function findUserAnd<More extends object>(
  db: Queryable,
  condition: Sql,
  more: Sql,
): Promise<(User & More) | undefined> {
  const [user] = await db.query<User & More>(
    sql`select ${userColumns}, ${userRelations}${more} from auth.users u where u.instance_id = ${noInstance} and ${condition} limit 1`,
  );
  return user;
}

const findUser = (db: Queryable, condition: Sql): Promise<User | undefined> =>
  findUserAnd(db, condition, sql.empty);

export function findUserById(db: Queryable, id: string): Promise<User | undefined> {
  return findUser(db, sql`u.id = ${id}`);
}

export function findUserByEmail(db: Queryable, email: string, aud: string): Promise<User | undefined> {
  return findUser(db, sql`lower(u.email) = ${email.toLowerCase()} and u.aud = ${aud} and not u.is_sso_user`);
}

export function findUserByPhone(db: Queryable, phone: string, aud: string): Promise<User | undefined> {
  return findUser(db, sql`u.phone = ${phone} and u.aud = ${aud} and not u.is_sso_user`);
}

export function findUserByPhoneChange(db: Queryable, phone: string, aud: string): Promise<User | undefined> {
  return findUser(db, sql`u.phone_change = ${phone} and u.aud = ${aud} and not u.is_sso_user`);
}

/** Returns the IDs of users with one of these addresses, excluding SSO users. */
export async function findUserIdsByEmail(db: Queryable, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select u.id from auth.users u
    where u.instance_id = ${noInstance} and u.email = any(${emails}::text[]) and not u.is_sso_user`);
  return rows.map((row) => row.id);
}

/**
 * Finds another user who can sign in with this address, which is either the account's address or the verified address
 * of one of the account's identities.
 */
export async function findUserWithEmail(
  db: Queryable,
  email: string,
  aud: string,
  exceptId?: string,
): Promise<User | undefined> {
  const byIdentity = await findUser(
    db,
    sql`u.aud = ${aud} and u.id <> ${exceptId ?? noInstance} and u.id in (
      select user_id from auth.identities where email = ${email.toLowerCase()} and provider not like 'sso:%'
        and (provider = 'email' or identity_data ->> 'email_verified' = 'true'))`,
  );
  return byIdentity ?? (await findUserByEmail(db, email, aud));
}

export interface NewUser {
  readonly id: string;
  readonly aud: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly encryptedPassword: string;
  readonly appMetaData: object;
  readonly userMetaData: object;
  readonly isSsoUser?: boolean;
  readonly isAnonymous?: boolean;
}

/**
 * Inserts an unconfirmed user with an empty role and empty tokens. All other values are set by later updates, so that
 * triggers on auth.users see the row in the same states as in GoTrue 2.196.
 */
export async function insertUser(db: Queryable, user: NewUser, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.users (
      instance_id, id, aud, role, email, phone, encrypted_password, confirmation_token, recovery_token,
      email_change_token_new, email_change_token_current, email_change, phone_change, phone_change_token,
      reauthentication_token, email_change_confirm_status, raw_app_meta_data, raw_user_meta_data, created_at,
      updated_at, is_sso_user, is_anonymous
    ) values (
      ${noInstance}, ${user.id}, ${user.aud}, '', ${user.email}, ${user.phone}, ${user.encryptedPassword}, '', '',
      '', '', '', '', '',
      '', 0, ${user.appMetaData}, ${user.userMetaData}, ${now},
      ${now}, ${user.isSsoUser ?? false}, ${user.isAnonymous ?? false}
    )`);
}

export type UserPatch = Partial<Omit<UserColumns, 'id' | 'confirmed_at' | 'updated_at' | 'created_at'>>;

/** Updates the given columns and `updated_at`, both in the database row and in `user`. */
export async function updateUser(db: Queryable, user: User, patch: UserPatch, nowMs: number): Promise<void> {
  const changes: Partial<UserColumns> = { ...patch, updated_at: fromMs(nowMs) };
  const assignments = Object.entries(changes).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  await db.query(sql`update auth.users set ${sql.join(assignments)} where id = ${user.id}`);
  Object.assign(user, changes);
}

export type MetadataColumn = 'raw_user_meta_data' | 'raw_app_meta_data';

/**
 * Merges the updates into the metadata's top level, removes null keys, and copies the result to `user`. Merges the
 * updates into the row's current metadata and not into values that were read before, so that concurrent requests with
 * different keys don't overwrite each other's changes.
 */
export async function mergeUserMetadata(
  db: Queryable,
  user: User,
  {
    column,
    updates,
    nowMs,
  }: { readonly column: MetadataColumn; readonly updates: JsonObject; readonly nowMs: number },
): Promise<void> {
  const updated_at = fromMs(nowMs);
  const name = sql.id(column);
  const entries = Object.entries(updates);
  const isRemoved = ([, value]: (typeof entries)[number]) => value === null || value === undefined;
  const kept = Object.fromEntries(entries.filter((entry) => !isRemoved(entry)));
  const removed = entries.filter(isRemoved).map(([key]) => key);
  const [row] = await db.query<{ metadata: JsonObject }>(sql`
    update auth.users
    set ${name} = (case when jsonb_typeof(${name}) = 'object' then ${name} else '{}' end || ${kept}::jsonb) - ${removed}::text[],
        updated_at = ${updated_at}
    where id = ${user.id} returning ${name} as metadata`);
  Object.assign(user, { updated_at }, row && { [column]: row.metadata });
}

export async function deleteUser(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.users where id = ${id}`);
}

/** Locks a guest's row. Returns false if the row doesn't exist or the user is no longer a guest. */
export async function lockGuest(db: Queryable, id: string): Promise<boolean> {
  // Uses a lock mode that lets other connections insert rows that reference the guest, because an HTTP hook may insert
  // such rows.
  const rows = await db.query(
    sql`select id from auth.users where id = ${id} and is_anonymous for no key update`,
  );
  return rows.length > 0;
}

/**
 * Waits for the user's row and locks it until the transaction ends. Values that were read before this call may be
 * outdated.
 */
export async function awaitUser(db: Transaction, id: string): Promise<void> {
  await db.query(sql`select id from auth.users where id = ${id} for no key update`);
}

/** Clears the reauthentication token. Returns false if the user no longer has this token. */
export async function claimReauthenticationToken(
  db: Transaction,
  userId: string,
  token: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    update auth.users set reauthentication_token = ''
    where id = ${userId} and reauthentication_token = ${token} returning id`);
  return rows.length > 0;
}

export type LiveUser = Pick<UserColumns, 'id' | 'banned_until' | 'deleted_at'>;

/**
 * Locks the user's row, and prevents the session from being deleted until the transaction ends. Returns no row if the
 * user doesn't exist or the session has ended. If another transaction holds a lock, both conditions are checked against
 * the rows that it has committed.
 */
export const lockLiveUser = (id: string, sessionId: string | undefined): Sql =>
  sessionId === undefined
    ? sql`select u.id, u.banned_until, u.deleted_at from auth.users u where u.id = ${id} for no key update`
    : sql`
      select u.id, u.banned_until, u.deleted_at from auth.users u join auth.sessions s on s.user_id = u.id
      where u.id = ${id} and s.id = ${sessionId} for no key update of u for key share of s`;

/** The columns that determine whether and how a session is issued. */
export interface SignInRow extends UserColumns {
  /**
   * Whether the user has the requested identity. If no identity is requested, whether the user has any identity from a
   * provider, SSO connection or wallet.
   */
  readonly has_identity: boolean;
}

/** Returns the user's row, locked until the transaction ends. */
export async function lockForSession(
  db: Transaction,
  id: string,
  identity?: { readonly provider: string; readonly providerId: string },
): Promise<SignInRow | undefined> {
  const expected = identity
    ? sql`i.provider = ${identity.provider} and i.provider_id = ${identity.providerId}`
    : sql`i.provider not in ('email', 'phone')`;
  const [row] = await db.query<SignInRow>(sql`
    select ${userColumns},
           exists (select from auth.identities i where i.user_id = u.id and ${expected}) as has_identity
    from auth.users u where u.id = ${id} for no key update`);
  return row;
}

/** Locks a user's row. Returns false if the row doesn't exist or another transaction has locked it. */
export async function lockUser(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from auth.users where id = ${id} for no key update skip locked`);
  return rows.length > 0;
}

export interface UserList {
  readonly users: readonly User[];
  readonly total: number;
}

/**
 * Lists users. `filter` is a substring of the email address (case-sensitive) or of the full name (ignoring case). As in
 * upstream, the users in this list have `identities` set to null.
 */
export async function listUsers(
  db: Queryable,
  aud: string,
  page: Page,
  options: { readonly ascending: boolean; readonly filter: string },
): Promise<UserList> {
  const pattern = `%${options.filter}%`;
  const matches =
    options.filter === ''
      ? sql.empty
      : sql` and (u.email like ${pattern} or u.raw_user_meta_data ->> 'full_name' ilike ${pattern})`;
  const condition = sql`u.instance_id = ${noInstance} and u.aud = ${aud}${matches}`;
  const [count] = await db.query<{ total: number }>(
    sql`select count(*)::int8 as total from auth.users u where ${condition}`,
  );
  const direction = sql.raw(options.ascending ? 'asc' : 'desc');
  const rows = await db.query<UserColumns>(sql`
    select ${userColumns} from auth.users u where ${condition}
    order by u.created_at ${direction}, u.id ${direction}
    limit ${page.perPage} offset ${(page.page - 1) * page.perPage}`);
  return { users: rows.map((row) => ({ ...row, identities: null, factors: [] })), total: count?.total ?? 0 };
}
