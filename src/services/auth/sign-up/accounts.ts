/**
 * Creates users and confirms their email addresses and phone numbers. Each step is a separate UPDATE statement, because
 * triggers must run separately for each change.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { deleteOneTimeTokens } from '../codes/queries.ts';
import type { Caller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { renderUser } from '../common/render-user.ts';
import type { Identity, User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import {
  findUserById,
  insertUser,
  mergeUserMetadata,
  type NewUser,
  updateUser,
} from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { insertIdentity, listProviders } from '../providers/queries.ts';
import { deleteSessions } from '../sessions/queries.ts';

export type Provider = 'email' | 'phone';

/** Prepares a new user's data and hashes the password. This function must be called before a transaction starts. */
export async function draftUser(
  ctx: AuthContext,
  draft: {
    readonly aud: string;
    /** The provider of the user's first identity. Undefined for guests. */
    readonly provider: string | undefined;
    readonly email?: string;
    readonly phone?: string;
    readonly password?: string;
    readonly data: JsonObject;
    /** Whether other users can have the same email address without being linked to this account. */
    readonly isSsoUser?: boolean;
  },
): Promise<NewUser> {
  const { provider } = draft;
  return {
    id: randomUUID(),
    aud: draft.aud,
    email: draft.email || null,
    phone: draft.phone || null,
    encryptedPassword: draft.password ? await ctx.passwords.hash(draft.password) : '',
    appMetaData: provider === undefined ? {} : { provider, providers: [provider] },
    userMetaData: draft.data,
    isSsoUser: draft.isSsoUser ?? false,
    isAnonymous: provider === undefined,
  };
}

/** Runs the project's hook before a user is created. If the hook returns an error, throws the error. */
export async function runBeforeUserCreated(ctx: AuthContext, caller: Caller, draft: NewUser): Promise<void> {
  if (!ctx.settings.hooks.before_user_created.enabled) return;
  const now = fromMs(ctx.clock.now());
  const user: User = { ...emptyUser, id: draft.id, aud: draft.aud, email: draft.email, phone: draft.phone };
  user.raw_app_meta_data = draft.appMetaData as JsonObject;
  user.raw_user_meta_data = draft.userMetaData as JsonObject;
  user.is_sso_user = draft.isSsoUser ?? false;
  user.is_anonymous = draft.isAnonymous ?? false;
  user.created_at = now;
  user.updated_at = now;
  await runHook(ctx, caller, { name: 'before_user_created', input: { user: renderUser(user) } });
}

/**
 * Runs the project's hook after the transaction that created the user. If the hook fails, the user isn't deleted. The
 * hook isn't called for users whose sign-up is confirmed automatically, as in GoTrue 2.196.
 */
export async function runAfterUserCreated(ctx: AuthContext, caller: Caller, user: User): Promise<void> {
  if (!ctx.settings.hooks.after_user_created.enabled) return;
  await runHook(ctx, caller, { name: 'after_user_created', input: { user: renderUser(user) } });
}

/** Inserts the user and sets the user's role. Then reads the user again, because triggers may have changed the row. */
export async function createUser(
  ctx: AuthContext,
  tx: Transaction,
  draft: NewUser,
  role = ctx.settings.defaultRole,
): Promise<User> {
  const now = ctx.clock.now();
  try {
    await insertUser(tx, draft, now);
  } catch (cause) {
    throw internalError('Database error saving new user', cause);
  }
  const bare: User = { ...emptyUser, id: draft.id };
  try {
    await updateUser(tx, bare, { role: role.trim() }, now);
  } catch (cause) {
    throw internalError('Database error updating user', cause);
  }
  const user = await findUserById(tx, draft.id);
  if (!user) throw internalError('Database error loading user after sign-up');
  return user;
}

export const emptyUser: User = {
  id: '',
  aud: '',
  role: '',
  email: null,
  encrypted_password: '',
  email_confirmed_at: null,
  invited_at: null,
  confirmation_token: '',
  confirmation_sent_at: null,
  recovery_token: '',
  recovery_sent_at: null,
  email_change_token_new: '',
  email_change: '',
  email_change_sent_at: null,
  last_sign_in_at: null,
  raw_app_meta_data: {},
  raw_user_meta_data: {},
  created_at: null,
  updated_at: null,
  phone: null,
  phone_confirmed_at: null,
  phone_change: '',
  phone_change_token: '',
  phone_change_sent_at: null,
  confirmed_at: null,
  email_change_token_current: '',
  email_change_confirm_status: 0,
  banned_until: null,
  reauthentication_token: '',
  reauthentication_sent_at: null,
  is_sso_user: false,
  deleted_at: null,
  is_anonymous: false,
  identities: [],
  factors: [],
};

/** Returns identity data for the email and phone providers. Metadata can't override these four keys. */
export function identityClaims(
  user: User,
  claims: {
    readonly email?: string;
    readonly emailVerified?: boolean;
    readonly phone?: string;
    readonly phoneVerified?: boolean;
  },
): JsonObject & { sub: string } {
  return {
    sub: user.id,
    ...(claims.email ? { email: claims.email } : {}),
    email_verified: claims.emailVerified ?? false,
    ...(claims.phone ? { phone: claims.phone } : {}),
    phone_verified: claims.phoneVerified ?? false,
  };
}

export async function addIdentity(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { provider, data }: { readonly provider: string; readonly data: JsonObject & { readonly sub: string } },
): Promise<Identity> {
  try {
    return await insertIdentity(tx, { userId: user.id, provider, data }, ctx.clock.now());
  } catch (cause) {
    throw internalError('Error creating identity', cause);
  }
}

export async function setUserMetadata(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  updates: JsonObject,
): Promise<void> {
  await mergeUserMetadata(tx, user, { column: 'raw_user_meta_data', updates, nowMs: ctx.clock.now() });
}

export async function setAppMetadata(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  updates: JsonObject,
): Promise<void> {
  await mergeUserMetadata(tx, user, { column: 'raw_app_meta_data', updates, nowMs: ctx.clock.now() });
}

/** Updates app_metadata.provider and app_metadata.providers from the user's identities. */
export async function syncProviders(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const providers = await listProviders(tx, user.id);
  const first = providers[0] === undefined ? {} : { provider: providers[0] };
  await setAppMetadata(ctx, tx, user, { ...first, providers });
}

export async function confirmEmail(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(tx, user, { confirmation_token: '', email_confirmed_at: fromMs(now) }, now);
  await setUserMetadata(ctx, tx, user, { email_verified: true });
  await deleteOneTimeTokens(tx, user.id);
}

export async function confirmPhone(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(tx, user, { confirmation_token: '', phone_confirmed_at: fromMs(now) }, now);
  await deleteOneTimeTokens(tx, user.id);
}

export async function stopBeingAnonymous(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  if (user.is_anonymous) await updateUser(tx, user, { is_anonymous: false }, ctx.clock.now());
}

/**
 * The column values that clear all pending codes and contact changes. Pending contact changes must be cleared, because
 * anyone can request that the codes for such a change be sent again.
 */
const nothingPending = {
  confirmation_token: '',
  confirmation_sent_at: null,
  recovery_token: '',
  recovery_sent_at: null,
  email_change: '',
  email_change_token_current: '',
  email_change_token_new: '',
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  phone_change: '',
  phone_change_token: '',
  phone_change_sent_at: null,
  reauthentication_token: '',
  reauthentication_sent_at: null,
} as const;

/**
 * Stores a password and invalidates everything that depends on the old password: pending codes, pending contact
 * changes, and all sessions except the given sessions.
 */
export async function storePassword(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { hash, exceptSessionIds }: { readonly hash: string | null; readonly exceptSessionIds: readonly string[] },
): Promise<void> {
  await updateUser(tx, user, { encrypted_password: hash, ...nothingPending }, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id);
  await deleteSessions(tx, user.id, exceptSessionIds);
}

/** Invalidates codes and links that were sent before the user's primary address changed. */
export async function clearPendingTokens(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  await updateUser(tx, user, nothingPending, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id);
}

/** Reads the user again to include generated columns and changes made by triggers. */
export async function reloadUser(tx: Transaction, user: User): Promise<User> {
  const fresh = await findUserById(tx, user.id);
  if (!fresh) throw internalError('Database error loading user');
  return fresh;
}
