/**
 * Recovery codes, beyond upstream: /factors/recovery-codes for their owner, /admin/users/:userId/factors/recovery-codes
 * for administrators.
 */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { adminActor, userActor } from '../flows/audit.ts';
import {
  makeRecoveryCodes,
  removeRecoveryCodes,
  requireRecoveryCodeAal,
  requireRecoveryCodes,
  verifyRecoveryCode,
} from '../flows/recovery-codes.ts';
import { renderSession } from '../flows/sessions.ts';
import { type Principal, refuseAnonymous, requireAdmin, requireUser } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import { findRecoveryCodes } from '../queries/recovery-codes.ts';
import { requireTarget } from './admin-users.ts';
import type { Define, Handler } from './route.ts';

export function recoveryCodeRoutes(define: Define, ctx: AuthContext): void {
  const enter = async (exchange: Exchange): Promise<Principal> => {
    requireRecoveryCodes(ctx);
    const principal = await requireUser(ctx, exchange);
    refuseAnonymous(principal.claims);
    return principal;
  };

  define('GET', '/factors/recovery-codes', async (exchange) => {
    const { user } = await enter(exchange);
    return countRecoveryCodes(ctx, user.id);
  });

  define('POST', '/factors/recovery-codes', async (exchange) => {
    const principal = await enter(exchange);
    const codes = await makeRecoveryCodes(ctx, exchange, principal);
    return { codes, ...(await countRecoveryCodes(ctx, principal.user.id)) };
  });

  const verify: Handler = async (exchange) => {
    const principal = await enter(exchange);
    const code = exchange.body().text('code');
    return renderSession(await verifyRecoveryCode(ctx, exchange, principal, code));
  };
  define('POST', '/factors/recovery-codes/verify', verify, { limit: 'factor_verify' });

  define('DELETE', '/factors/recovery-codes', async (exchange) => {
    const principal = await enter(exchange);
    requireRecoveryCodeAal(principal);
    const { user } = principal;
    const by = { actor: userActor(user), ip: exchange.ip };
    await ctx.pool.transaction((tx) => removeRecoveryCodes(ctx, tx, user.id, by));
    return exchange.reply.code(204).send();
  });

  define('GET', '/admin/users/:userId/factors/recovery-codes', async (exchange) => {
    await requireAdmin(ctx, exchange);
    requireRecoveryCodes(ctx);
    return countRecoveryCodes(ctx, (await requireTarget(ctx, exchange)).id);
  });

  define('DELETE', '/admin/users/:userId/factors/recovery-codes', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    requireRecoveryCodes(ctx);
    const user = await requireTarget(ctx, exchange);
    const by = { actor: adminActor(claims), ip: exchange.ip };
    await ctx.pool.transaction((tx) => removeRecoveryCodes(ctx, tx, user.id, by));
    return exchange.reply.code(204).send();
  });
}

/** How many codes a user was given, and how many of them are left. */
export async function countRecoveryCodes(ctx: AuthContext, userId: string): Promise<JsonObject> {
  const set = await findRecoveryCodes(ctx.pool, userId);
  return {
    total: set?.total ?? 0,
    remaining: set?.remaining ?? 0,
    created_at: set === undefined ? null : toRfc3339(set.created_at),
  };
}
