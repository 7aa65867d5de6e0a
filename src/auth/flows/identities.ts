/** What follows for a user when an identity comes or goes. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { toMs } from '../core/times.ts';
import { findUserByEmail, updateUser } from '../queries/users.ts';
import type { Identity, User } from '../rows.ts';
import { setUserMetadata } from './accounts.ts';
import { clearPendingTokens } from './mail-tokens.ts';

/**
 * When no identity has the user's address any more, the best of theirs becomes it: verified before unverified before
 * none, then the oldest. Unverified, it is not confirmed either. False: each of them belongs to another user.
 */
export async function followIdentities(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  identities: readonly Identity[],
): Promise<boolean> {
  if (identities.some((identity) => (identity.email ?? '') === (user.email ?? ''))) return true;
  const rank = (identity: Identity) => (!identity.email ? 2 : isVerified(identity) ? 0 : 1);
  const age = (identity: Identity) => (identity.created_at === null ? 0 : toMs(identity.created_at));
  const candidates = [...identities].sort(
    (a, b) => rank(a) - rank(b) || age(a) - age(b) || (a.id < b.id ? -1 : 1),
  );
  const chosen = await firstFree(tx, candidates, user.aud ?? '');
  if (!chosen) return false;
  await updateUser(tx, user, { email: chosen.email || null }, ctx.clock.now());
  await clearPendingTokens(ctx, tx, user);
  if (!chosen.email || (!isVerified(chosen) && !ctx.settings.email.autoconfirm)) {
    await updateUser(tx, user, { email_confirmed_at: null }, ctx.clock.now());
    await setUserMetadata(ctx, tx, user, { email_verified: false });
  }
  return true;
}

async function firstFree(
  tx: Transaction,
  candidates: readonly Identity[],
  aud: string,
): Promise<Identity | undefined> {
  for (const candidate of candidates) {
    if (!candidate.email || !(await findUserByEmail(tx, candidate.email, aud))) return candidate;
  }
  return undefined;
}

function isVerified(identity: Identity): boolean {
  return identity.identity_data.email_verified === true;
}
