/** Creates users on behalf of administrators. */

import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import type { User } from '../common/rows.ts';
import { findUserByPhone, findUserWithEmail, insertUser, updateUser } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { parsePasswordHash } from '../passwords/hash.ts';
import {
  addIdentity,
  confirmEmail,
  confirmPhone,
  draftUser,
  identityClaims,
  type Provider,
  reloadUser,
  setAppMetadata,
} from '../sign-up/accounts.ts';
import { type AdminUserRequest, ban, originOf, parseAdminUserRequest, userTraits } from './user-changes.ts';

/** Creates a user. The sign-up settings and password rules don't apply to users that administrators create. */
export async function createByAdmin(ctx: AuthContext, caller: AdminCaller, body: Fields): Promise<User> {
  const { claims } = caller;
  const request = parseAdminUserRequest(body);
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
        identities.push(
          await addIdentity(ctx, tx, user, { provider: 'email', data: identityClaims(user, { email }) }),
        );
      if (phone !== '')
        identities.push(
          await addIdentity(ctx, tx, user, { provider: 'phone', data: identityClaims(user, { phone }) }),
        );
      user.identities = identities;
      await audit(ctx, tx, adminActor(claims), {
        action: 'user_signedup',
        traits: { ...userTraits(user), provider },
      });
      await updateUser(
        tx,
        user,
        { role: (request.role || ctx.settings.defaultRole).trim() },
        ctx.clock.now(),
      );
      if (request.appMetadata) await setAppMetadata(ctx, tx, user, request.appMetadata);
      if (request.emailConfirm && email !== '') await confirmEmail(ctx, tx, user);
      if (request.phoneConfirm && phone !== '') await confirmPhone(ctx, tx, user);
      if (request.banMs !== undefined) await ban(ctx, tx, user, request.banMs);
      return user;
    });
  } catch (cause) {
    throw internalError('Database error creating new user', originOf(cause));
  }
}

async function initialHash(ctx: AuthContext, { password, passwordHash }: AdminUserRequest): Promise<string> {
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
  return password ? ctx.passwords.hash(password) : '';
}
