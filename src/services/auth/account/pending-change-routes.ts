/**
 * Declares two routes that upstream doesn't have. DELETE /user/email_change and DELETE /user/phone_change cancel an
 * unconfirmed change. If no change is pending, the routes do nothing.
 */

import { limitChanges } from '../common/limit-changes.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { cancelPendingEmail, cancelPendingPhone } from './pending-changes.ts';

export function pendingChangeRoutes({ define }: Router, ctx: AuthContext): void {
  define('DELETE', '/user/email_change', async ({ caller, reply }) => {
    await cancelPendingEmail(ctx, await limitChanges(ctx, await requireUser(ctx, caller)));
    return reply.code(204).send();
  });

  define('DELETE', '/user/phone_change', async ({ caller, reply }) => {
    await cancelPendingPhone(ctx, await limitChanges(ctx, await requireUser(ctx, caller)));
    return reply.code(204).send();
  });
}
