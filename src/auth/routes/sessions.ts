/** POST /logout; and beyond upstream, a user's own session list: GET /user/sessions, DELETE /user/sessions/:id. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { isClient, isUuid, refuseClient, requireCaller, requireUser } from '../http/authenticate.ts';
import { deleteOwnSession, deleteSession, deleteSessions, listSessions } from '../queries/sessions.ts';
import type { Session } from '../rows.ts';
import type { Define } from './route.ts';

export function sessionRoutes(define: Define, ctx: AuthContext): void {
  define('POST', '/logout', async (exchange) => {
    const caller = await requireCaller(ctx, exchange);
    const { user, session } = caller;
    // A client signs out itself; the user's sessions are none of its business.
    const isOwnOnly = isClient(caller) && !ctx.settings.clientsActAsUsers;
    const scope = exchange.query.get('scope') || 'global';
    if (scope !== 'global' && scope !== 'local' && scope !== 'others') {
      throw authError('validation_failed', `Unsupported logout scope "${scope}"`);
    }
    if (isOwnOnly && scope === 'others') throw refuseClient();
    try {
      await ctx.pool.transaction(async (tx) => {
        await audit(ctx, tx, user, 'logout');
        if (session && (scope === 'local' || isOwnOnly)) return deleteSession(tx, session.id);
        return deleteSessions(tx, user.id, scope === 'others' ? session?.id : undefined);
      });
    } catch (cause) {
      throw internalError('Error logging out user', cause);
    }
    return exchange.reply.code(204).send();
  });

  define('GET', '/user/sessions', async (exchange) => {
    const { user, session } = await requireUser(ctx, exchange);
    const sessions = await listSessions(ctx.pool, user.id);
    return { sessions: sessions.map((each) => renderSessionEntry(each, each.id === session?.id)) };
  });

  define('DELETE', '/user/sessions/:id', async (exchange) => {
    const { user } = await requireUser(ctx, exchange);
    const id = exchange.params.id ?? '';
    if (!isUuid(id)) throw authError('validation_failed', 'session id must be an UUID', { status: 404 });
    const wasDeleted = await ctx.pool.transaction(async (tx) => {
      const isOwn = await deleteOwnSession(tx, id, user.id);
      if (isOwn) await audit(ctx, tx, user, 'logout', { traits: { session_id: id }, ip: exchange.ip });
      return isOwn;
    });
    // Not session_not_found: that code makes the client drop its own session.
    if (!wasDeleted) throw authError('validation_failed', 'Session not found', { status: 404 });
    return exchange.reply.code(204).send();
  });
}

/** How users see a session of theirs. */
export function renderSessionEntry(session: Session, isCurrent: boolean): JsonObject {
  return {
    id: session.id,
    created_at: toRfc3339(session.created_at),
    refreshed_at: session.refreshed_at === null ? null : toRfc3339(session.refreshed_at),
    user_agent: session.user_agent,
    ip: session.ip,
    aal: session.aal ?? 'aal1',
    current: isCurrent,
  };
}
