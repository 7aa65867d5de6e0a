/** Resets unclaimed accounts, so that the data from a new request replaces the data from earlier requests. */
import type { Transaction } from '../../../platform/database/types.ts';
import { deleteOneTimeTokens } from '../codes/queries.ts';
import { type Contact, isPrepared } from '../common/contact.ts';
import type { JsonObject } from '../common/json.ts';
import type { Identity, User } from '../common/rows.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { deleteFactors } from '../factors/queries.ts';
import { forgetRecoveryCodes } from '../factors/recovery-codes.ts';
import { deletePasskeys } from '../passkeys/queries.ts';
import { deleteIdentity, replaceIdentityData } from '../providers/queries.ts';
import { deleteSessions } from '../sessions/queries.ts';
import { addIdentity, identityClaims, syncProviders } from './accounts.ts';

/** The password and metadata in a request. A null hash means that the account has no password. */
export interface SignUpContent {
  readonly passwordHash: string | null;
  readonly data: JsonObject;
}

export const nothing: SignUpContent = { passwordHash: null, data: {} };

/**
 * Resets an unclaimed account to this password, metadata and contact identity. Doesn't reset an account prepared by an
 * administrator, because only the administrator could have changed the account. Keeps a pending confirmation code,
 * which the caller replaces, deletes or still accepts.
 */
export async function resetUnclaimed(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { contact, ...content }: SignUpContent & { readonly contact: Contact },
): Promise<void> {
  if (isPrepared(user)) return;
  const now = ctx.clock.now();
  // Upstream doesn't store the phone number in the identity of a sign-up.
  const claims = identityClaims(user, contact === 'email' && user.email ? { email: user.email } : {});
  const data = { ...content.data, ...claims };
  const known = (user.identities ?? []).find(({ provider }) => provider === contact);
  if (known) await replaceIdentityData(tx, known, data, now);
  const identity = known ?? (await addIdentity(ctx, tx, user, { provider: contact, data }));
  await keepOnlyIdentity(ctx, tx, user, { identity, passwordHash: content.passwordHash });
}

/**
 * Removes all identities of the user except `identity`. Sets the account's metadata to the remaining identity's data,
 * and stores the given password hash.
 */
export async function keepOnlyIdentity(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { identity, passwordHash }: { readonly identity: Identity; readonly passwordHash: string | null },
): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(tx, user, { encrypted_password: passwordHash }, now);
  await updateUser(tx, user, { raw_user_meta_data: identity.identity_data }, now);
  for (const other of user.identities ?? []) if (other.id !== identity.id) await deleteIdentity(tx, other.id);
  user.identities = [identity];
  await syncProviders(ctx, tx, user);
  await revokeEarlierAccess(ctx, tx, user);
}

/** All columns with pending tokens, except the confirmation token. */
const pendingTokens = [
  'recovery_token',
  'email_change_token_new',
  'email_change_token_current',
  'phone_change_token',
  'reauthentication_token',
] as const;

/** Deletes all earlier sessions, factors, passkeys, recovery codes, links and pending changes. */
export async function revokeEarlierAccess(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const none = {
    recovery_token: '',
    email_change: '',
    email_change_token_current: '',
    email_change_token_new: '',
    email_change_confirm_status: 0,
    phone_change: '',
    phone_change_token: '',
    reauthentication_token: '',
  };
  await updateUser(tx, user, none, ctx.clock.now());
  for (const type of pendingTokens) await deleteOneTimeTokens(tx, user.id, type);
  await deleteSessions(tx, user.id);
  await deleteFactors(tx, user.id);
  await deletePasskeys(tx, user.id);
  await forgetRecoveryCodes(ctx, tx, user.id);
  user.factors = [];
}
