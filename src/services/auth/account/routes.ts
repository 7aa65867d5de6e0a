/** Declares GET and PUT /user, and GET /reauthenticate. */

import { renderUser } from '../common/render-user.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { changeOwnUser, readOwnUser } from './operations.ts';
import { reauthenticate } from './reauthenticate.ts';

export function userRoutes({ define, serve }: Router, ctx: AuthContext): void {
  serve('GET', '/user', readOwnUser, renderUser);
  serve('PUT', '/user', changeOwnUser, renderUser);

  define('GET', '/reauthenticate', async ({ caller }) => {
    const messageId = await reauthenticate(ctx, await requireUser(ctx, caller));
    return messageId === undefined ? {} : { message_id: messageId };
  });
}
