/** POST /logout. Also, not in upstream, a user's own session list: GET /user/sessions, DELETE /user/sessions/:id. */
import type { AuthContext } from '../context.ts';
import { renderSessionEntry } from '../core/session-entry.ts';
import { authError } from '../errors.ts';
import { requireCaller, requireUser } from '../flows/authenticate.ts';
import { endSession, listUserSessions, type SignOutScope, signOut } from '../flows/own-sessions.ts';
import type { Define } from './route.ts';

export function sessionRoutes(define: Define, ctx: AuthContext): void {
  define('POST', '/logout', async ({ caller, query, reply }) => {
    const self = await requireCaller(ctx, caller);
    await signOut(ctx, self, parseScope(query.get('scope') || 'global'));
    return reply.code(204).send();
  });

  define('GET', '/user/sessions', async ({ caller }) => {
    const { user, session } = await requireUser(ctx, caller);
    const sessions = await listUserSessions(ctx, user);
    return { sessions: sessions.map((each) => renderSessionEntry(each, each.id === session?.id)) };
  });

  define('DELETE', '/user/sessions/:id', async ({ caller, params, reply }) => {
    const self = await requireUser(ctx, caller);
    await endSession(ctx, self, self.user, params.id ?? '');
    return reply.code(204).send();
  });
}

function parseScope(scope: string): SignOutScope {
  if (scope === 'global' || scope === 'local' || scope === 'others') return scope;
  throw authError('validation_failed', `Unsupported logout scope "${scope}"`);
}
