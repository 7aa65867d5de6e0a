/**
 * Declares the routes for recovery codes, which upstream doesn't have: /factors/recovery-codes for users, and
 * /admin/users/:userId/factors/recovery-codes for administrators.
 */
import { requireTarget } from '../admin/users.ts';
import type { AdminCaller, Caller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requireAdmin, requirePermanentUser } from '../sessions/authenticate.ts';
import { type IssuedSession, renderSession } from '../sessions/issued-session.ts';
import {
  countRecoveryCodes,
  makeRecoveryCodes,
  type RecoveryCodeCount,
  removeOwnRecoveryCodes,
  removeRecoveryCodesByAdmin,
  requireRecoveryCodes,
  verifyRecoveryCode,
} from './recovery-codes.ts';

export function recoveryCodeRoutes(route: Route): void {
  route({
    on: 'GET /factors/recovery-codes',
    guards: [requireRecoveryCodes],
    async run(ctx, { caller }) {
      const { user } = await requirePermanentUser(ctx, caller);
      return renderRecoveryCodes(await countRecoveryCodes(ctx, user.id));
    },
  });

  route({
    on: 'POST /factors/recovery-codes',
    guards: [requireRecoveryCodes],
    async run(ctx, { caller }) {
      const self = await limitChanges(ctx, await requirePermanentUser(ctx, caller));
      const codes = await makeRecoveryCodes(ctx, self);
      return { codes, ...renderRecoveryCodes(await countRecoveryCodes(ctx, self.user.id)) };
    },
  });

  route(verifyOwnRecoveryCode, { render: renderSession });

  route({
    on: 'DELETE /factors/recovery-codes',
    status: 204,
    guards: [requireRecoveryCodes],
    run: async (ctx, { caller }) =>
      removeOwnRecoveryCodes(ctx, await limitChanges(ctx, await requirePermanentUser(ctx, caller))),
  });

  route({
    on: 'GET /admin/users/:userId/factors/recovery-codes',
    async run(ctx, { caller, params }) {
      await requireRecoveryCodeAdmin(ctx, caller);
      const { id } = await requireTarget(ctx, params.userId ?? '');
      return renderRecoveryCodes(await countRecoveryCodes(ctx, id));
    },
  });

  route({
    on: 'DELETE /admin/users/:userId/factors/recovery-codes',
    status: 204,
    async run(ctx, { caller, params }) {
      const admin = await requireRecoveryCodeAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      await removeRecoveryCodesByAdmin(ctx, admin, user.id);
    },
  });
}

export const verifyOwnRecoveryCode: Operation<Call, IssuedSession> = {
  on: 'POST /factors/recovery-codes/verify',
  guards: [limitByAddress('factor_verify')],
  signIn: 'recovery_code',
  async run(ctx, { caller, body }) {
    requireRecoveryCodes(ctx);
    const self = await requirePermanentUser(ctx, caller);
    return verifyRecoveryCode(ctx, self, body().text('code'));
  },
};

async function requireRecoveryCodeAdmin(ctx: AuthContext, caller: Caller): Promise<AdminCaller> {
  const admin = await requireAdmin(ctx, caller);
  requireRecoveryCodes(ctx);
  return admin;
}

export function renderRecoveryCodes({ total, remaining, createdAt }: RecoveryCodeCount): JsonObject {
  return { total, remaining, created_at: createdAt === null ? null : toRfc3339(createdAt) };
}
