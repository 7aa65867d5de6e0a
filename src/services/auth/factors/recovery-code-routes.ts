/**
 * Declares the routes for recovery codes, which upstream doesn't have: /factors/recovery-codes for users, and
 * /admin/users/:userId/factors/recovery-codes for administrators.
 */

import { requireTarget } from '../admin/target.ts';
import type { AdminCaller, UserCaller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { requireAdmin, requirePermanentUser } from '../sessions/authenticate.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { verifyOwnRecoveryCode } from './operations.ts';
import {
  countRecoveryCodes,
  makeRecoveryCodes,
  type RecoveryCodeCount,
  removeOwnRecoveryCodes,
  removeRecoveryCodesByAdmin,
  requireRecoveryCodes,
} from './recovery-codes.ts';

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
