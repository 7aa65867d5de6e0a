/**
 * Declares the routes for recovery codes, which upstream doesn't have: /factors/recovery-codes for users, and
 * /admin/users/:userId/factors/recovery-codes for administrators.
 */
import type { AdminCaller, UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import type { JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { requireTarget } from '../flows/admin-target.ts';
import { requireAdmin, requirePermanentUser } from '../flows/authenticate.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import {
  countRecoveryCodes,
  makeRecoveryCodes,
  type RecoveryCodeCount,
  removeOwnRecoveryCodes,
  removeRecoveryCodesByAdmin,
  requireRecoveryCodes,
} from '../flows/recovery-codes.ts';
import type { Exchange } from '../http/exchange.ts';
import { verifyOwnRecoveryCode } from '../operations/factors.ts';
import type { Router } from './route.ts';

export function recoveryCodeRoutes({ define, serve }: Router, ctx: AuthContext): void {
  const enter = async ({ caller }: Exchange): Promise<UserCaller> => {
    requireRecoveryCodes(ctx);
    return requirePermanentUser(ctx, caller);
  };
  const enterAsAdmin = async ({ caller }: Exchange): Promise<AdminCaller> => {
    const admin = await requireAdmin(ctx, caller);
    requireRecoveryCodes(ctx);
    return admin;
  };
  const count = async (userId: string) => renderRecoveryCodes(await countRecoveryCodes(ctx, userId));

  define('GET', '/factors/recovery-codes', async (exchange) => count((await enter(exchange)).user.id));

  define('POST', '/factors/recovery-codes', async (exchange) => {
    const caller = await limitChanges(ctx, await enter(exchange));
    const codes = await makeRecoveryCodes(ctx, caller);
    return { codes, ...(await count(caller.user.id)) };
  });

  serve('POST', '/factors/recovery-codes/verify', verifyOwnRecoveryCode, renderSession);

  define('DELETE', '/factors/recovery-codes', async (exchange) => {
    await removeOwnRecoveryCodes(ctx, await limitChanges(ctx, await enter(exchange)));
    return exchange.reply.code(204).send();
  });

  define('GET', '/admin/users/:userId/factors/recovery-codes', async (exchange) => {
    await enterAsAdmin(exchange);
    return count((await requireTarget(ctx, exchange.params.userId ?? '')).id);
  });

  define('DELETE', '/admin/users/:userId/factors/recovery-codes', async (exchange) => {
    const caller = await enterAsAdmin(exchange);
    const user = await requireTarget(ctx, exchange.params.userId ?? '');
    await removeRecoveryCodesByAdmin(ctx, caller, user.id);
    return exchange.reply.code(204).send();
  });
}

export function renderRecoveryCodes({ total, remaining, createdAt }: RecoveryCodeCount): JsonObject {
  return { total, remaining, created_at: createdAt === null ? null : toRfc3339(createdAt) };
}
