/** Lists, renames and deletes a user's passkeys. */

import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller, UserCaller } from '../common/caller.ts';
import type { ReadFields } from '../common/fields.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import type { Passkey, User } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { deletePasskey, findPasskey, listPasskeys, renamePasskey } from './queries.ts';

/** Upstream counts bytes, although its message says characters. */
const maxNameBytes = 120;

/** Checks that the project has enabled passkeys. @throws {AuthError} passkey_disabled */
export function requirePasskeys(ctx: AuthContext): void {
  if (!ctx.settings.passkeysEnabled) throw authError('passkey_disabled');
}

/** Throws `insufficient_aal` if the user has a second factor but didn't use it in this session. */
export function requirePasskeyAal({ user, session }: UserCaller): void {
  if (!hasVerifiedFactor(user) || session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 session is required to manage passkeys when MFA is enabled');
}

export function listUserPasskeys(ctx: AuthContext, user: Pick<User, 'id'>): Promise<Passkey[]> {
  return listPasskeys(ctx.pool, user.id);
}

/** Renames a passkey. @throws {AuthError} validation_failed, with status 404 for an unknown passkey */
export async function renameOwnPasskey(
  ctx: AuthContext,
  caller: UserCaller,
  id: string,
  body: ReadFields,
): Promise<Passkey> {
  const { user, ip } = caller;
  requirePasskeyId(id);
  const friendlyName = body().text('friendly_name');
  if (friendlyName === '') throw authError('validation_failed', 'friendly_name is required');
  if (Buffer.byteLength(friendlyName) > maxNameBytes) {
    throw authError('validation_failed', `friendly_name must be ${maxNameBytes} characters or less`);
  }
  const passkey = await requirePasskey(ctx, id, user.id);
  await asUser(ctx, caller, async (tx) => {
    await renamePasskey(tx, id, friendlyName, ctx.clock.now());
    await audit(ctx, tx, user, { action: 'passkey_updated', ip, traits: { passkey_id: id } });
  });
  return { ...passkey, friendly_name: friendlyName };
}

/**
 * Deletes a passkey of the calling user.
 * @throws {AuthError} insufficient_aal, or validation_failed with status 404 for an unknown passkey
 */
export async function deleteOwnPasskey(ctx: AuthContext, caller: UserCaller, id: string): Promise<void> {
  requirePasskeyAal(caller);
  const { user, ip } = caller;
  const passkey = await requirePasskey(ctx, id, user.id);
  await asUser(ctx, caller, async (tx) => {
    await deletePasskey(tx, passkey.id);
    await audit(ctx, tx, user, { action: 'passkey_deleted', ip, traits: { passkey_id: passkey.id } });
    const details = { name: passkey.friendly_name };
    await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'passkey_removed', details });
  });
}

/**
 * Deletes a passkey on behalf of an administrator.
 * @throws {AuthError} validation_failed with status 404 for an unknown passkey
 */
export async function deletePasskeyByAdmin(
  ctx: AuthContext,
  { claims, ip }: AdminCaller,
  user: User,
  id: string,
): Promise<void> {
  const passkey = await requirePasskey(ctx, id, user.id);
  await ctx.pool.transaction(async (tx) => {
    await deletePasskey(tx, passkey.id);
    const traits = { user_id: user.id, passkey_id: passkey.id };
    await audit(ctx, tx, adminActor(claims), { action: 'passkey_deleted', ip, traits });
    const details = { name: passkey.friendly_name };
    await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'passkey_removed', details });
  });
}

function requirePasskeyId(id: string): void {
  if (!isUuid(id)) throw notFound();
}

async function requirePasskey(ctx: AuthContext, id: string, userId: string): Promise<Passkey> {
  requirePasskeyId(id);
  const passkey = await findPasskey(ctx.pool, id, userId);
  if (!passkey) throw notFound();
  return passkey;
}

/** Returns the error for an unknown passkey, with upstream's error code. */
function notFound() {
  return authError('validation_failed', 'Passkey not found', { status: 404 });
}
