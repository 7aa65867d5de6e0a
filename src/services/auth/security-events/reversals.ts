/**
 * Handles the link "This wasn't me" in security notices. The link undoes the reported change and all later changes,
 * invalidates the password and ends all sessions. The user then regains access with an emailed code (decision 64).
 */
import type { Transaction } from '../../../platform/database/types.ts';
import { invalidLink } from '../codes/find-owner.ts';
import { deleteOneTimeTokens } from '../codes/queries.ts';
import type { Caller } from '../common/caller.ts';
import { contactStatus } from '../common/contact.ts';
import type { User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { findUserById, findUserByPhone, findUserWithEmail, updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { deleteRecoveryCodes } from '../factors/own-queries.ts';
import { deleteFactor, hasAnyVerifiedFactor } from '../factors/queries.ts';
import { forgetIdleRecoveryCodes } from '../factors/recovery-codes.ts';
import { cancelRemoval } from '../factors/removals.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { findConsent, revokeConsent } from '../oauth-server/queries.ts';
import { deletePasskey } from '../passkeys/queries.ts';
import { deleteIdentity, findIdentity, lockIdentities, updateIdentityData } from '../providers/queries.ts';
import { addIdentity, identityClaims, storePassword, syncProviders } from '../sign-up/accounts.ts';
import { deleteUserKeys } from '../user-keys/forget.ts';
import type { SecurityEvent } from './events.ts';
import { notify } from './notify.ts';
import { forgetDevicesSince, listChangesSince, listReversibleEvents } from './queries.ts';
import { hashOf, recordEvent } from './record.ts';
import { findReversal, findSecured, spendReversalsSince } from './reversal-queries.ts';

export interface ReversalPreview {
  readonly event: SecurityEvent;
  /** The address that will receive the code with which the user regains access. */
  readonly email: string;
  /** The later changes, which the link also undoes, oldest first. */
  readonly later: readonly SecurityEvent[];
  /**
   * The time at which the user secured the account with another link that covers this event. If this time is set, the
   * link no longer has any effect.
   */
  readonly securedAt: string | undefined;
}

/** Returns the changes that a link would undo, without using the link. @throws {AuthError} otp_expired */
export async function previewReversal(ctx: AuthContext, token: string): Promise<ReversalPreview> {
  const event = ctx.hasOwnTables ? await findReversal(ctx.pool, hashOf(token), ctx.clock.now()) : undefined;
  const user = event && (await findUserById(ctx.pool, event.user_id));
  if (!event || !user || event.kind === 'locked') throw invalidLink();
  const events = await listReversibleEvents(ctx.pool, event);
  const later = await listChangesSince(ctx.pool, event);
  const securedAt = await findSecured(ctx.pool, event);
  return { event, email: valueBefore(events, 'email') ?? user.email ?? '', later, securedAt };
}

export interface Reversed {
  /**
   * How the user regains access: `email` with an emailed code, `sso` through the identity provider, or `none` (not at
   * all) if the former address now belongs to another account.
   */
  readonly next: 'email' | 'sso' | 'none';
  /** The account's address after the reversal. */
  readonly email: string;
  /** Whether the user must also use a second factor. */
  readonly hasFactor: boolean;
}

/**
 * Uses a link. A link has no effect if an earlier reversal has already undone its change. Otherwise, another link from
 * the same attack could invalidate the password that the owner has chosen after the reversal.
 * @throws {AuthError} otp_expired
 */
export async function reverseEvent(ctx: AuthContext, caller: Caller, token: string): Promise<Reversed> {
  if (!ctx.hasOwnTables) throw invalidLink();
  const hash = hashOf(token);
  const event = await findReversal(ctx.pool, hash, ctx.clock.now());
  // The link in a lockout email only unlocks the account.
  if (!event || event.kind === 'locked') throw invalidLink();
  const { user: owner, ...reversed } = await endAndNotify(ctx, event.user_id, async (tx) => {
    await lockIdentities(tx, event.user_id);
    const user = await findUserById(tx, event.user_id);
    if (!user || user.deleted_at !== null || (await findSecured(tx, event))) throw invalidLink();
    const events = await listReversibleEvents(tx, event);
    for (const each of events) await removeAddition(ctx, tx, user, each);
    await forgetIdleRecoveryCodes(ctx, tx, user.id);
    // An attacker could have created a key at any time before the reported change too.
    await deleteUserKeys(tx, user.id);
    await cancelRemoval(ctx, tx, caller, user.id);
    await restoreContacts(ctx, tx, user, events);
    await restoreIdentities(ctx, tx, user, valueBefore(events, 'email'));
    // Removing the password also clears pending changes, and invalidates codes and links that were sent.
    await storePassword(ctx, tx, user, { hash: null, exceptSessionIds: [] });
    await spendReversalsSince(tx, user.id, event.created_at, ctx.clock.now());
    await forgetDevicesSince(tx, user.id, firstDoubtful(ctx, event));
    await recordEvent(ctx, tx, caller, {
      userId: user.id,
      kind: 'secured',
      details: {
        reason: event.kind,
        event_id: event.id,
        since: event.created_at,
      },
    });
    const next = user.is_sso_user ? 'sso' : user.email ? 'email' : 'none';
    const hasFactor = await hasAnyVerifiedFactor(tx, user.id);
    return { user, next, email: user.email ?? '', hasFactor } as const;
  });
  await notify(ctx, caller, { user: owner, kind: 'account_secured' });
  return reversed;
}

/**
 * Returns the start of the period in which new devices aren't trusted. The attacker may have signed in before the
 * reported change, so the period includes every device whose sign-in notice can still contain a valid link.
 */
function firstDoubtful({ clock, settings }: AuthContext, event: SecurityEvent): string {
  const oldest = clock.now() - settings.security.undoPeriodMs;
  return fromMs(Math.min(oldest, toMs(event.created_at)));
}

/**
 * Removes the factor, code, key, identity or app that an event added to the account. If the event was a removal, it
 * can't be undone.
 */
async function removeAddition(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { kind, details }: SecurityEvent,
): Promise<void> {
  const text = (name: string): string => String(details[name] ?? '');
  switch (kind) {
    case 'factor_added':
      if (user.factors.some(({ id }) => id === details.factor_id)) await deleteFactor(tx, text('factor_id'));
      break;
    case 'passkey_added':
      await deletePasskey(tx, text('passkey_id'));
      break;
    case 'recovery_codes_created':
      await deleteRecoveryCodes(tx, user.id);
      break;
    case 'identity_linked':
      if (user.identities?.some(({ id }) => id === details.identity_id))
        await deleteIdentity(tx, text('identity_id'));
      break;
    case 'app_connected': {
      const consent = await findConsent(tx, user.id, text('client_id'));
      if (consent !== undefined) await revokeConsent(tx, consent.id, ctx.clock.now());
      break;
    }
    default:
  }
}

/** Returns the email address or phone number before the first change, or undefined if the events don't change it. */
function valueBefore(events: readonly SecurityEvent[], contact: 'email' | 'phone'): string | undefined {
  const first = events.find(({ kind }) => kind === `${contact}_changed`);
  return first && String(first.details[`old_${contact}`] ?? '');
}

async function restoreContacts(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  events: readonly SecurityEvent[],
): Promise<void> {
  const now = ctx.clock.now();
  const oldPhone = valueBefore(events, 'phone');
  if (oldPhone !== undefined && oldPhone !== user.phone) {
    const isTaken = oldPhone !== '' && (await findUserByPhone(tx, oldPhone, user.aud ?? ''));
    const phone = isTaken ? null : oldPhone || null;
    await updateUser(tx, user, { phone, ...(phone === null ? { phone_confirmed_at: null } : {}) }, now);
    const identity = await findIdentity(tx, user.id, 'phone');
    if (identity && phone === null) await deleteIdentity(tx, identity.id);
    else if (identity) await updateIdentityData(tx, identity, { phone, phone_verified: true });
  }
  const oldEmail = valueBefore(events, 'email');
  if (oldEmail === undefined || oldEmail === user.email) return;
  const email = oldEmail !== '' && (await isFree(ctx, tx, user, oldEmail)) ? oldEmail : null;
  await updateUser(tx, user, { email, ...(email === null ? { email_confirmed_at: null } : {}) }, now);
  const identity = await findIdentity(tx, user.id, 'email');
  if (identity && email === null) await deleteIdentity(tx, identity.id);
  else if (identity) await updateIdentityData(tx, identity, { email, email_verified: true });
}

/**
 * Whether the user's former address can be restored. If an account without an owner has the address, the address is
 * removed from that account, because the attacker may have signed up with the address to prevent the user from
 * regaining it.
 */
async function isFree(ctx: AuthContext, tx: Transaction, user: User, email: string): Promise<boolean> {
  const other = await findUserWithEmail(tx, email, user.aud ?? '', user.id);
  if (!other) return true;
  if (contactStatus(other, 'email') !== 'unclaimed') return false;
  await updateUser(tx, other, { email: null, confirmation_token: '', recovery_token: '' }, ctx.clock.now());
  await deleteOneTimeTokens(tx, other.id);
  const identity = await findIdentity(tx, other.id, 'email');
  if (identity) await deleteIdentity(tx, identity.id);
  return true;
}

/**
 * Adds an email identity if the account has no identities left, and updates the list of providers. The address counts
 * as verified only if the account had the same address before the changes.
 */
async function restoreIdentities(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  oldEmail: string | undefined,
): Promise<void> {
  const left = await lockIdentities(tx, user.id);
  if (left.length === 0 && user.email) {
    await addIdentity(ctx, tx, user, {
      provider: 'email',
      data: identityClaims(user, { email: user.email, emailVerified: user.email === oldEmail }),
    });
  }
  await syncProviders(ctx, tx, user);
}
