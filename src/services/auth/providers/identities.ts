/** Removes identities. If the user's email address came from a removed identity, the address changes as well. */
import type { Transaction } from '../../../platform/database/types.ts';
import { requireUsedFactor } from '../account/own-account.ts';
import { audit } from '../common/audit.ts';
import {
  type AdminCaller,
  audienceOf,
  type Caller,
  firstAudience,
  type UserCaller,
} from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import type { Identity, User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserByEmail, updateUser } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { EventKind, SecurityEvent } from '../security-events/events.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { asUser } from '../sessions/user-transaction.ts';
import {
  addIdentity,
  clearPendingTokens,
  identityClaims,
  setUserMetadata,
  syncProviders,
} from '../sign-up/accounts.ts';
import { deleteIdentity, lockIdentities } from './queries.ts';

/**
 * Chooses a new address for the user if none of the remaining identities has the user's current address. Prefers the
 * verified address whose identity is the oldest. With autoconfirm, also considers unverified addresses. Without
 * autoconfirm, unverified addresses aren't considered, because such an address would block the address's real owner. If
 * no address qualifies, removes the user's address. Returns false if each of the addresses belongs to another user.
 */
export async function followIdentities(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  identities: readonly Identity[],
): Promise<boolean> {
  if (identities.some((identity) => (identity.email ?? '') === (user.email ?? ''))) return true;
  const { autoconfirm } = ctx.settings.email;
  const addressOf = (identity: Identity) => (isVerified(identity) || autoconfirm ? identity.email : null);
  const rank = (identity: Identity) => (!addressOf(identity) ? 2 : isVerified(identity) ? 0 : 1);
  const age = (identity: Identity) => (identity.created_at === null ? 0 : toMs(identity.created_at));
  const candidates = [...identities].sort(
    (a, b) => rank(a) - rank(b) || age(a) - age(b) || (a.id < b.id ? -1 : 1),
  );
  const chosen = await firstFree(tx, candidates.map(addressOf), user.aud ?? '');
  if (chosen === undefined) return false;
  await updateUser(tx, user, { email: chosen || null }, ctx.clock.now());
  await clearPendingTokens(ctx, tx, user);
  if (!chosen) {
    await updateUser(tx, user, { email_confirmed_at: null }, ctx.clock.now());
    await setUserMetadata(ctx, tx, user, { email_verified: false });
  }
  return true;
}

/**
 * Returns the first address that no other user has. Returns null if an entry without an address comes before the first
 * such address. Returns undefined if other users have all of the addresses.
 */
async function firstFree(
  tx: Transaction,
  emails: readonly (string | null)[],
  aud: string,
): Promise<string | null | undefined> {
  for (const email of emails) {
    if (!email) return null;
    if (!(await findUserByEmail(tx, email, aud))) return email;
  }
  return undefined;
}

function isVerified(identity: Identity): boolean {
  return identity.identity_data.email_verified === true;
}

/**
 * Removes one of the user's identities.
 * @throws {AuthError} manual_linking_disabled, insufficient_aal, single_identity_not_deletable, identity_not_found
 */
export async function unlinkIdentity(ctx: AuthContext, caller: UserCaller, id: string): Promise<void> {
  const { user, claims } = caller;
  if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
  requireUsedFactor(caller);
  if (!isUuid(id)) throw authError('validation_failed', 'identity_id must be an UUID', { status: 404 });
  if (audienceOf(ctx, caller, claims) !== firstAudience(claims)) throw authError('unexpected_audience');
  await removeIdentity(ctx, caller, { user, id, runAsUser: (work) => asUser(ctx, caller, work) });
}

/**
 * Removes an identity on behalf of an administrator.
 * @throws {AuthError} under the same conditions as {@link unlinkIdentity}, except insufficient_aal
 */
export async function unlinkIdentityByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  user: User,
  id: string,
): Promise<void> {
  if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
  if (!isUuid(id)) throw authError('validation_failed', 'identity_id must be an UUID', { status: 404 });
  await removeIdentity(ctx, caller, { user, id });
}

/**
 * Whether the user can still sign in with the confirmed address after the identity is removed. Only the Account pages
 * support such sign-ins. In upstream, users can't unlink an account from the provider with which it was created, even
 * if they have set a password.
 */
function keepsAddress(
  { settings }: AuthContext,
  user: User,
  identities: readonly Identity[],
  removedId: string,
): boolean {
  if (!user.email || user.email_confirmed_at === null || user.is_sso_user || !settings.email.enabled)
    return false;
  if (identities.some(({ provider }) => provider === 'email')) return false;
  return identities.some(({ id }) => id === removedId);
}

interface Unlinked {
  readonly provider: string;
  readonly event: SecurityEvent | undefined;
}

interface Removal {
  readonly user: User;
  /** The identity's ID. */
  readonly id: string;
  /** Runs the transaction on behalf of the user. Undefined if an administrator removes the identity. */
  readonly runAsUser?: (work: (tx: Transaction) => Promise<Unlinked>) => Promise<Unlinked>;
}

async function removeIdentity(
  ctx: AuthContext,
  caller: Caller,
  { user, id, runAsUser }: Removal,
): Promise<void> {
  const isOperator = runAsUser === undefined;
  const run = runAsUser ?? ((work) => ctx.pool.transaction(work));
  const oldEmail = user.email ?? '';
  const oldPhone = user.phone ?? '';
  const { provider, event } = await run(async (tx) => {
    const identities = await lockIdentities(tx, user.id);
    if (caller.pageLanguage !== undefined && !isOperator && keepsAddress(ctx, user, identities, id)) {
      const claims = identityClaims(user, { email: oldEmail, emailVerified: true });
      identities.push(await addIdentity(ctx, tx, user, { provider: 'email', data: claims }));
    }
    if (identities.length <= 1) throw authError('single_identity_not_deletable');
    const identity = identities.find((each) => each.id === id);
    if (!identity) throw authError('identity_not_found');
    const traits = { identity_id: id, provider: identity.provider, provider_id: identity.provider_id };
    await audit(ctx, tx, user, { action: 'identity_unlinked', ip: caller.ip, traits });
    await deleteIdentity(tx, id);
    if (identity.provider === 'phone') {
      await updateUser(tx, user, { phone: null, phone_confirmed_at: null }, ctx.clock.now());
    } else {
      const rest = identities.filter((each) => each.id !== id);
      if (!(await followIdentities(ctx, tx, user, rest)))
        throw authError('email_conflict_identity_not_deletable');
    }
    await syncProviders(ctx, tx, user);
    const record = (kind: EventKind, details: JsonObject) =>
      isOperator
        ? recordOperatorEvent(ctx, tx, { userId: user.id, kind, details })
        : recordEvent(ctx, tx, caller, { userId: user.id, kind, details });
    const unlinked = await record('identity_unlinked', { provider: identity.provider });
    const [newEmail, newPhone] = [user.email ?? '', user.phone ?? ''];
    if (newEmail !== oldEmail) await record('email_changed', { old_email: oldEmail, new_email: newEmail });
    if (newPhone !== oldPhone) await record('phone_changed', { old_phone: oldPhone, new_phone: newPhone });
    return { provider: identity.provider, event: unlinked };
  });
  await notify(ctx, caller, { user, kind: 'identity_unlinked', to: oldEmail, provider, event });
}
