/** DELETE /user/identities/:id. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { toMs } from '../core/times.ts';
import { authError } from '../errors.ts';
import { setUserMetadata, syncProviders } from '../flows/accounts.ts';
import { audit } from '../flows/audit.ts';
import { clearPendingTokens, notify } from '../flows/mail-tokens.ts';
import { isUuid, requireUser } from '../http/authenticate.ts';
import { audienceOf, firstAudience } from '../http/exchange.ts';
import { deleteIdentity } from '../queries/identities.ts';
import { findUserByEmail, updateUser } from '../queries/users.ts';
import type { Identity, User } from '../rows.ts';
import type { Define } from './route.ts';

export function identityRoutes(define: Define, ctx: AuthContext): void {
  define('DELETE', '/user/identities/:id', async (exchange) => {
    const { user, claims } = await requireUser(ctx, exchange);
    if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
    const id = exchange.params.id ?? '';
    if (!isUuid(id)) throw authError('validation_failed', 'identity_id must be an UUID', { status: 404 });
    if (audienceOf(ctx, exchange, claims) !== firstAudience(claims)) throw authError('unexpected_audience');
    const identities = user.identities ?? [];
    if (identities.length <= 1) throw authError('single_identity_not_deletable');
    const identity = identities.find((each) => each.id === id);
    if (!identity) throw authError('identity_not_found');

    const oldEmail = user.email ?? '';
    await ctx.pool.transaction(async (tx) => {
      const traits = { identity_id: id, provider: identity.provider, provider_id: identity.provider_id };
      await audit(ctx, tx, user, 'identity_unlinked', { ip: exchange.ip, traits });
      await deleteIdentity(tx, id);
      if (identity.provider === 'phone') {
        await updateUser(tx, user, { phone: null, phone_confirmed_at: null }, ctx.clock.now());
      } else {
        const rest = identities.filter((each) => each.id !== id);
        await followIdentities(ctx, tx, user, rest);
      }
      await syncProviders(ctx, tx, user);
    });
    await notify(ctx, undefined, exchange, user, 'identity_unlinked', {
      to: oldEmail,
      provider: identity.provider,
    });
    return {};
  });
}

/**
 * When no identity has the user's address any more, the best of theirs becomes it: verified before unverified before
 * none, then the oldest. Unverified, it is not confirmed either.
 */
async function followIdentities(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  rest: Identity[],
): Promise<void> {
  if (rest.some((identity) => (identity.email ?? '') === (user.email ?? ''))) return;
  const rank = (identity: Identity) => (!identity.email ? 2 : isVerified(identity) ? 0 : 1);
  const age = (identity: Identity) => (identity.created_at === null ? 0 : toMs(identity.created_at));
  const candidates = [...rest].sort((a, b) => rank(a) - rank(b) || age(a) - age(b) || (a.id < b.id ? -1 : 1));
  let chosen: Identity | undefined;
  for (const candidate of candidates) {
    const isFree = !candidate.email || !(await findUserByEmail(tx, candidate.email, user.aud ?? ''));
    if (isFree) {
      chosen = candidate;
      break;
    }
  }
  if (!chosen) throw authError('email_conflict_identity_not_deletable');
  await updateUser(tx, user, { email: chosen.email || null }, ctx.clock.now());
  await clearPendingTokens(ctx, tx, user);
  if (!chosen.email || (!isVerified(chosen) && !ctx.settings.email.autoconfirm)) {
    await updateUser(tx, user, { email_confirmed_at: null }, ctx.clock.now());
    await setUserMetadata(ctx, tx, user, { email_verified: false });
  }
}

function isVerified(identity: Identity): boolean {
  return identity.identity_data.email_verified === true;
}
