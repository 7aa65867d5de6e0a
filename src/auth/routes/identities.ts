/** DELETE /user/identities/:id. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { syncProviders } from '../flows/accounts.ts';
import { audit } from '../flows/audit.ts';
import { followIdentities } from '../flows/identities.ts';
import { notify } from '../flows/mail-tokens.ts';
import { requireUsedFactor } from '../flows/own-account.ts';
import { isUuid, requireUser } from '../http/authenticate.ts';
import { audienceOf, firstAudience } from '../http/exchange.ts';
import { deleteIdentity, lockIdentities } from '../queries/identities.ts';
import { updateUser } from '../queries/users.ts';
import type { Define } from './route.ts';

export function identityRoutes(define: Define, ctx: AuthContext): void {
  define('DELETE', '/user/identities/:id', async (exchange) => {
    const principal = await requireUser(ctx, exchange);
    const { user, claims } = principal;
    if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
    requireUsedFactor(principal);
    const id = exchange.params.id ?? '';
    if (!isUuid(id)) throw authError('validation_failed', 'identity_id must be an UUID', { status: 404 });
    if (audienceOf(ctx, exchange, claims) !== firstAudience(claims)) throw authError('unexpected_audience');
    const oldEmail = user.email ?? '';
    const { provider } = await ctx.pool.transaction(async (tx) => {
      const identities = await lockIdentities(tx, user.id);
      if (identities.length <= 1) throw authError('single_identity_not_deletable');
      const identity = identities.find((each) => each.id === id);
      if (!identity) throw authError('identity_not_found');
      const traits = { identity_id: id, provider: identity.provider, provider_id: identity.provider_id };
      await audit(ctx, tx, user, 'identity_unlinked', { ip: exchange.ip, traits });
      await deleteIdentity(tx, id);
      if (identity.provider === 'phone') {
        await updateUser(tx, user, { phone: null, phone_confirmed_at: null }, ctx.clock.now());
      } else {
        const rest = identities.filter((each) => each.id !== id);
        if (!(await followIdentities(ctx, tx, user, rest)))
          throw authError('email_conflict_identity_not_deletable');
      }
      await syncProviders(ctx, tx, user);
      return identity;
    });
    await notify(ctx, undefined, exchange, user, 'identity_unlinked', {
      to: oldEmail,
      provider,
    });
    return {};
  });
}
