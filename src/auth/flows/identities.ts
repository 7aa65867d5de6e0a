/** What follows for a user when an identity comes or goes. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { toMs } from '../core/times.ts';
import { findUserByEmail, updateUser } from '../queries/users.ts';
import type { Identity, User } from '../rows.ts';
import { clearPendingTokens, setUserMetadata } from './accounts.ts';

/**
 * When no identity has the user's address anymore, the oldest verified one of theirs becomes it, or none. An address that
 * nobody vouches for would be in the way of its owner; under autoconfirm it counts, after the verified ones. False: each of
 * them belongs to another user.
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

/** Null: no address. Undefined: each of them is taken. */
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
