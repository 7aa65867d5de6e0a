/** Creates, lists and revokes users' API keys. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { oneLine } from '../../../base/shared/printable.ts';
import { beginningOfUserKey, createUserKey } from '../../../base/shared/user-keys.ts';
import { requireUsedFactor } from '../account/own-account.ts';
import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller, UserCaller } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import { isStorable } from '../common/json.ts';
import { isFreshSignIn } from '../common/proven-session.ts';
import type { User } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { deleteUserKey, insertUserKey, listUserKeys, type UserKey } from './queries.ts';

const maxNameLength = 100;
const maxUserKeys = 50;
const maxUserKeyDays = 365;
const defaultUserKeyDays = 90;
const dayMs = 86_400_000;

export const hashOfUserKey = (key: string): string => createHash('sha256').update(key).digest('base64url');

export const offersUserKeys = (ctx: AuthContext): boolean =>
  ctx.settings.userKeys.enabled && ctx.hasOwnTables;

/** @throws {AuthError} feature_disabled */
export function requireUserKeys(ctx: AuthContext): void {
  if (!offersUserKeys(ctx)) {
    throw authError('feature_disabled', 'API keys of users are disabled');
  }
}

interface UserKeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
}

/** @throws {AuthError} validation_failed, bad_json */
function parseUserKeyRequest(fields: Fields, allowed: readonly string[]): UserKeyRequest {
  const name = fields.text('name').trim();
  const scopes = [...new Set(fields.list('scopes') ?? [])];
  const days = fields.raw('expires_in_days') ?? defaultUserKeyDays;
  if (name === '') throw authError('validation_failed', 'name is required');
  if ([...name].length > maxNameLength || !isStorable({ name })) {
    throw authError('validation_failed', `name must be text of up to ${maxNameLength} characters`);
  }
  const unknown = scopes.find((scope) => !allowed.includes(scope));
  if (unknown !== undefined) throw authError('validation_failed', 'scopes contains an unknown scope');
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1 || days > maxUserKeyDays) {
    throw authError('validation_failed', `expires_in_days must be between 1 and ${maxUserKeyDays}`);
  }
  return { name, scopes, days };
}

export interface CreatedUserKey {
  readonly row: UserKey;
  /** The key itself, which isn't stored. */
  readonly key: string;
}

/**
 * Creates a key for the signed-in user. Requires a recent sign-in, because a key outlasts the session by up to a year.
 * @throws {AuthError} validation_failed, insufficient_aal, reauthentication_needed, conflict
 */
export async function createOwnKey(
  ctx: AuthContext,
  caller: UserCaller,
  fields: Fields,
): Promise<CreatedUserKey> {
  requireUsedFactor(caller);
  const { user, session, ip } = caller;
  const now = ctx.clock.now();
  if (!session || !isFreshSignIn(session, now)) {
    throw authError('reauthentication_needed', 'Creating an API key requires a recent sign-in');
  }
  const { name, scopes, days } = parseUserKeyRequest(fields, ctx.settings.userKeys.scopes);
  const key = createUserKey(randomBytes);
  // The transaction locks the user's row, so that concurrent requests can't exceed the limit.
  const { row, event } = await asUser(ctx, caller, async (tx) => {
    if ((await listUserKeys(tx, user.id)).length >= maxUserKeys) {
      throw authError('conflict', `An account can have up to ${maxUserKeys} API keys`);
    }
    const inserted = await insertUserKey(
      tx,
      {
        ...{ id: randomUUID(), user_id: user.id, name, scopes },
        ...{ hash: hashOfUserKey(key), beginning: beginningOfUserKey(key), expiresAtMs: now + days * dayMs },
      },
      now,
    );
    await audit(ctx, tx, user, { action: 'api_key_created', ip, traits: { key_id: inserted.id, name } });
    const details = { key_id: inserted.id, name };
    return {
      row: inserted,
      event: await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'api_key_created', details }),
    };
  });
  // The name could otherwise add lines to the email, such as a link of an attacker who uses the session.
  await notify(ctx, caller, { user, kind: 'api_key_created', apiKey: oneLine(name), event });
  return { row, key };
}

export const listKeysOf = (ctx: AuthContext, { id }: Pick<User, 'id'>): Promise<UserKey[]> =>
  listUserKeys(ctx.pool, id);

/** Revokes a key of the signed-in user. @throws {AuthError} validation_failed with status 404 for an unknown key */
export async function revokeOwnKey(ctx: AuthContext, caller: UserCaller, id: string): Promise<void> {
  const { user, ip } = caller;
  requireKeyId(id);
  await asUser(ctx, caller, async (tx) => {
    const row = await deleteUserKey(tx, user.id, id);
    if (row === undefined) throw notFound();
    await audit(ctx, tx, user, { action: 'api_key_revoked', ip, traits: { key_id: id, name: row.name } });
    const details = { key_id: id, name: row.name };
    await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'api_key_revoked', details });
  });
}

/** Revokes a user's key on behalf of an administrator. Throws the errors of {@link revokeOwnKey}. */
export async function revokeKeyByAdmin(
  ctx: AuthContext,
  { claims, ip }: AdminCaller,
  user: User,
  id: string,
): Promise<void> {
  requireKeyId(id);
  await ctx.pool.transaction(async (tx) => {
    const row = await deleteUserKey(tx, user.id, id);
    if (row === undefined) throw notFound();
    const traits = { user_id: user.id, key_id: id, name: row.name };
    await audit(ctx, tx, adminActor(claims), { action: 'api_key_revoked', ip, traits });
    const details = { key_id: id, name: row.name };
    await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'api_key_revoked', details });
  });
}

function requireKeyId(id: string): void {
  if (!isUuid(id)) throw notFound();
}

function notFound() {
  return authError('validation_failed', 'API key not found', { status: 404 });
}
