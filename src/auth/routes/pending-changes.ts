/**
 * Not in upstream: DELETE /user/email_change and DELETE /user/phone_change cancel a user's change that is awaiting
 * confirmation. If there is no such change, nothing happens.
 */
import type { AuthContext } from '../context.ts';
import { requireUser } from '../flows/authenticate.ts';
import { cancelPendingEmail, cancelPendingPhone } from '../flows/pending-changes.ts';
import type { Define } from './route.ts';

export function pendingChangeRoutes(define: Define, ctx: AuthContext): void {
  define('DELETE', '/user/email_change', async ({ caller, reply }) => {
    await cancelPendingEmail(ctx, await requireUser(ctx, caller));
    return reply.code(204).send();
  });

  define('DELETE', '/user/phone_change', async ({ caller, reply }) => {
    await cancelPendingPhone(ctx, await requireUser(ctx, caller));
    return reply.code(204).send();
  });
}
