/** Creates, changes and deletes users for administrators. */
import { createHash } from 'node:crypto';
import type { Transaction } from '../../database/types.ts';
import { parseGoDuration } from '../../shared/go-duration.ts';
import type { AdminCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import type { Fields } from '../core/fields.ts';
import type { JsonObject } from '../core/json.ts';
import { parsePasswordHash } from '../core/password-hash.ts';
import { randomPassword } from '../core/secrets.ts';
import { fromMs } from '../core/times.ts';
import { isUuid } from '../core/uuid.ts';
import { authError, internalError } from '../errors.ts';
import { deleteFactors } from '../queries/factors.ts';
import { findIdentity, renameIdentity, updateIdentityData } from '../queries/identities.ts';
import { deleteOneTimeTokens } from '../queries/one-time-tokens.ts';
import { deletePasskeys } from '../queries/passkeys.ts';
import { deleteSessions } from '../queries/sessions.ts';
import {
  deleteUser,
  findUserById,
  findUserByPhone,
  findUserWithEmail,
  insertUser,
  updateUser,
} from '../queries/users.ts';
import type { User } from '../rows.ts';
import {
  addIdentity,
  clearPendingTokens,
  confirmEmail,
  confirmPhone,
  draftUser,
  identityClaims,
  type Provider,
  reloadUser,
  setAppMetadata,
  setUserMetadata,
  stopBeingAnonymous,
  storePassword,
} from './accounts.ts';
import { audienceOf } from './audience.ts';
import { adminActor, audit } from './audit.ts';
import { requireStrongPassword } from './password-strength.ts';
import { forgetRecoveryCodes } from './recovery-codes.ts';

interface AdminRequest {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string | undefined;
  readonly passwordHash: string;
  readonly emailConfirm: boolean;
  readonly phoneConfirm: boolean;
  readonly userMetadata: JsonObject | undefined;
  readonly appMetadata: JsonObject | undefined;
  /** Undefined leaves the ban unchanged. Zero lifts it. */
  readonly banMs: number | undefined;
}

function parseRequest(body: Fields): AdminRequest {
  const email = body.text('email');
  const phone = body.text('phone');
  return {
    id: body.text('id'),
    aud: body.text('aud'),
    role: body.text('role'),
    email: email === '' ? '' : parseEmail(email),
    phone: phone === '' ? '' : parsePhone(phone),
    password: body.optionalText('password'),
    passwordHash: body.text('password_hash'),
    emailConfirm: body.flag('email_confirm'),
    phoneConfirm: body.flag('phone_confirm'),
    userMetadata: body.object('user_metadata'),
    appMetadata: body.object('app_metadata'),
    banMs: parseBan(body.text('ban_duration')),
  };
}

function parseBan(text: string): number | undefined {
  if (text === '') return undefined;
  if (text === 'none') return 0;
  const ms = parseGoDuration(text);
  if (ms === undefined) {
    throw authError('validation_failed', `invalid format for ban duration: time: invalid duration "${text}"`);
  }
  return ms;
}

/** @throws {AuthError} 404 validation_failed, user_not_found */
export async function requireTarget(ctx: AuthContext, id: string): Promise<User> {
  if (!isUuid(id)) throw authError('validation_failed', 'user_id must be an UUID', { status: 404 });
  let user: User | undefined;
  try {
    user = await findUserById(ctx.pool, id);
  } catch (cause) {
    throw internalError('Database error loading user', cause);
  }
  if (!user) throw authError('user_not_found');
  return user;
}

/** Creates a user. Sign-up settings and password rules don't apply to administrators. */
export async function createByAdmin(ctx: AuthContext, caller: AdminCaller, body: Fields): Promise<User> {
  const { claims } = caller;
  const request = parseRequest(body);
  const aud = request.aud || audienceOf(ctx, caller, claims);
  const { email, phone } = request;
  if (email === '' && phone === '') {
    throw authError('validation_failed', 'Cannot create a user without either an email or phone');
  }
  if (email !== '' && (await findUserWithEmail(ctx.pool, email, aud))) throw authError('email_exists');
  if (phone !== '' && (await findUserByPhone(ctx.pool, phone, aud))) {
    throw authError('phone_exists', 'Phone number already registered by another user');
  }
  const encryptedPassword = await initialHash(ctx, request);
  if (request.id !== '' && !isUuid(request.id)) {
    throw authError('validation_failed', 'ID must conform to the uuid v4 format');
  }
  if (/^[0-]+$/.test(request.id)) throw authError('validation_failed', 'ID cannot be a nil uuid');
  const providers: Provider[] = [];
  if (email !== '') providers.push('email');
  if (phone !== '') providers.push('phone');
  const provider = providers[0] ?? 'email';
  const draft = await draftUser(ctx, { aud, provider, email, phone, data: request.userMetadata ?? {} });
  const complete = {
    ...draft,
    id: request.id || draft.id,
    encryptedPassword,
    appMetaData: { provider, providers },
  };
  try {
    return await ctx.pool.transaction(async (tx) => {
      await insertUser(tx, complete, ctx.clock.now());
      const user = await reloadUser(tx, { id: complete.id } as User);
      const identities = [];
      if (email !== '')
        identities.push(await addIdentity(ctx, tx, user, 'email', identityClaims(user, { email })));
      if (phone !== '')
        identities.push(await addIdentity(ctx, tx, user, 'phone', identityClaims(user, { phone })));
      user.identities = identities;
      await audit(ctx, tx, adminActor(claims), 'user_signedup', {
        traits: { ...userTraits(user), provider },
      });
      await updateUser(
        tx,
        user,
        { role: (request.role || ctx.settings.defaultRole).trim() },
        ctx.clock.now(),
      );
      if (request.appMetadata) await setAppMetadata(ctx, tx, user, request.appMetadata);
      if (request.emailConfirm) await confirmEmail(ctx, tx, user);
      if (request.phoneConfirm) await confirmPhone(ctx, tx, user);
      if (request.banMs !== undefined) await ban(ctx, tx, user, request.banMs);
      return user;
    });
  } catch (cause) {
    throw internalError('Database error creating new user', originOf(cause));
  }
}

async function initialHash(ctx: AuthContext, { password, passwordHash }: AdminRequest): Promise<string> {
  if (password !== undefined && passwordHash !== '') {
    throw authError('validation_failed', 'Only a password or a password hash should be provided');
  }
  if (passwordHash !== '') {
    if (!parsePasswordHash(passwordHash)) throw internalError('Error creating user');
    return passwordHash;
  }
  if (password !== undefined && Buffer.byteLength(password) > 72) {
    throw authError('validation_failed', 'bcrypt: password length exceeds 72 bytes');
  }
  return ctx.passwords.hash(password || randomPassword([], 64));
}

export async function updateByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
  user: User,
  body: Fields,
): Promise<void> {
  const request = parseRequest(body);
  const { password } = request;
  if (password !== undefined) await requireStrongPassword(ctx, password);
  const hash =
    password === undefined ? undefined : password === '' ? null : await ctx.passwords.hash(password);
  try {
    await ctx.pool.transaction(async (tx) => {
      if (request.role !== '') await updateUser(tx, user, { role: request.role.trim() }, ctx.clock.now());
      if (request.emailConfirm) await confirmEmail(ctx, tx, user);
      if (request.phoneConfirm) await confirmPhone(ctx, tx, user);
      if (hash !== undefined) await storePassword(ctx, tx, user, hash, undefined);
      if (request.email !== '') await setEmail(ctx, tx, user, request.email, request.emailConfirm);
      if (request.phone !== '') await setPhone(ctx, tx, user, request.phone, request.phoneConfirm);
      if (request.appMetadata) await setAppMetadata(ctx, tx, user, request.appMetadata);
      if (request.userMetadata) await setUserMetadata(ctx, tx, user, request.userMetadata);
      if (request.banMs !== undefined) await ban(ctx, tx, user, request.banMs);
      await audit(ctx, tx, adminActor(claims), 'user_modified', { traits: userTraits(user) });
    });
  } catch (cause) {
    throw internalError('Error updating user', originOf(cause));
  }
}

async function setEmail(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  email: string,
  verified: boolean,
): Promise<void> {
  const identity = await findIdentity(tx, user.id, 'email');
  if (identity) await updateIdentityData(tx, identity, { email, email_verified: verified });
  else {
    const added = await addIdentity(
      ctx,
      tx,
      user,
      'email',
      identityClaims(user, { email, emailVerified: verified }),
    );
    user.identities = [...(user.identities ?? []), added];
  }
  if (verified) await stopBeingAnonymous(ctx, tx, user);
  if (email !== user.email) await clearPendingTokens(ctx, tx, user);
  await updateUser(tx, user, { email }, ctx.clock.now());
}

async function setPhone(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  phone: string,
  verified: boolean,
): Promise<void> {
  const identity = await findIdentity(tx, user.id, 'phone');
  if (identity) await updateIdentityData(tx, identity, { phone, phone_verified: verified });
  else {
    const added = await addIdentity(
      ctx,
      tx,
      user,
      'phone',
      identityClaims(user, { phone, phoneVerified: verified }),
    );
    user.identities = [...(user.identities ?? []), added];
  }
  if (verified) await stopBeingAnonymous(ctx, tx, user);
  await updateUser(tx, user, { phone }, ctx.clock.now());
}

async function ban(ctx: AuthContext, tx: Transaction, user: User, banMs: number): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(tx, user, { banned_until: banMs === 0 ? null : fromMs(now + banMs) }, now);
}

export async function deleteByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
  user: User,
  isSoft: boolean,
): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, adminActor(claims), 'user_deleted', { traits: userTraits(user) });
    if (isSoft) {
      if (user.deleted_at === null) await softDelete(ctx, tx, user);
      return;
    }
    await forgetRecoveryCodes(ctx, tx, user.id);
    try {
      await deleteUser(tx, user.id);
    } catch (cause) {
      throw internalError('Database error deleting user', cause);
    }
  });
}

/** Keeps the row for foreign keys. Personal data is hashed or deleted. */
async function softDelete(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const now = ctx.clock.now();
  const hidden = (text: string | null) =>
    createHash('sha256')
      .update(user.id + (text ?? ''))
      .digest('base64url');
  await updateUser(
    tx,
    user,
    {
      email: hidden(user.email),
      phone: hidden(user.phone).slice(0, 15),
      email_change: hidden(user.email_change),
      phone_change: hidden(user.phone_change).slice(0, 15),
      encrypted_password: null,
      confirmation_token: '',
      recovery_token: '',
      email_change_token_current: '',
      email_change_token_new: '',
      phone_change_token: '',
      deleted_at: fromMs(now),
    },
    now,
  );
  await deleteOneTimeTokens(tx, user.id);
  await updateUser(tx, user, { raw_user_meta_data: {} }, now);
  await updateUser(tx, user, { raw_app_meta_data: {} }, now);
  for (const identity of user.identities ?? []) {
    const nulls = Object.fromEntries(Object.keys(identity.identity_data).map((key) => [key, null]));
    await updateIdentityData(tx, identity, nulls);
    await renameIdentity(tx, identity.id, hidden(`${identity.provider}:${identity.provider_id}`));
  }
  await deleteFactors(tx, user.id);
  await deletePasskeys(tx, user.id);
  await forgetRecoveryCodes(ctx, tx, user.id);
  await deleteSessions(tx, user.id);
}

function userTraits(user: User): JsonObject {
  return { user_id: user.id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
}

/** The database's own error, which older clients see. */
function originOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
