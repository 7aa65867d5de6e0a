/** Declares GET and PUT /user, and GET /reauthenticate. */
import type { AuthContext } from '../context.ts';
import { renderUser } from '../core/render-user.ts';
import { requireUser } from '../flows/authenticate.ts';
import { reauthenticate } from '../flows/reauthenticate.ts';
import { changeOwnUser, readOwnUser } from '../operations/own-user.ts';
import type { Router } from './route.ts';

export function userRoutes({ define, serve }: Router, ctx: AuthContext): void {
  serve('GET', '/user', readOwnUser, renderUser);
  serve('PUT', '/user', changeOwnUser, renderUser);

  define('GET', '/reauthenticate', async ({ caller }) => {
    const messageId = await reauthenticate(ctx, await requireUser(ctx, caller));
    return messageId === undefined ? {} : { message_id: messageId };
  });
}
