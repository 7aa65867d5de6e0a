/**
 * Declares POST /logout, GET /user/sessions and DELETE /user/sessions/:id. Upstream doesn't have the routes for the
 * user's session list.
 */

import { endSessions } from '../account/operations.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { requireUser } from './authenticate.ts';
import { renderSessionEntry, renderSessionPlace } from './entry.ts';
import { endSession, listPlaces, listUserSessions } from './own-sessions.ts';

export function sessionRoutes({ define, serve }: Router, ctx: AuthContext): void {
  serve(
    'POST',
    '/logout',
    endSessions,
    (_done, { reply }) => reply.code(204).send(),
    ({ query }) => ({ scope: query.get('scope') || 'global' }),
  );

  define('GET', '/user/sessions', async ({ caller }) => {
    const { user, session } = await requireUser(ctx, caller);
    const [sessions, places] = await Promise.all([listUserSessions(ctx, user), listPlaces(ctx, user)]);
    return {
      sessions: sessions.map((each) => ({
        ...renderSessionEntry(each, each.id === session?.id),
        ...renderSessionPlace(places.get(each.id)),
      })),
    };
  });

  define('DELETE', '/user/sessions/:id', async ({ caller, params, reply }) => {
    const self = await limitChanges(ctx, await requireUser(ctx, caller));
    await endSession(ctx, self, params.id ?? '');
    return reply.code(204).send();
  });
}
