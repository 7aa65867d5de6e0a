/**
 * Declares POST /logout, GET /user/sessions and DELETE /user/sessions/:id. Upstream doesn't have the routes for the
 * user's session list.
 */
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import type { Route } from '../http/route.ts';
import type { EndedSession } from '../oauth-server/logout.ts';
import { requireCaller, requireUser } from './authenticate.ts';
import {
  type BrowserScope,
  endSession,
  explainEnding,
  listPlaces,
  listUserSessions,
  renderSessionEntry,
  renderSessionPlace,
  type SessionEnding,
  type SignOutScope,
  signOut,
  signOutBrowsers,
} from './own-sessions.ts';

export function sessionRoutes(route: Route): void {
  route(endSessions, {
    read: ({ query }) => ({ scope: query.get('scope') || 'global' }),
    render: () => undefined,
  });

  route({
    on: 'GET /user/sessions',
    async run(ctx, { caller }) {
      const { user, session } = await requireUser(ctx, caller);
      const [sessions, places] = await Promise.all([listUserSessions(ctx, user), listPlaces(ctx, user)]);
      return {
        sessions: sessions.map((each) => ({
          ...renderSessionEntry(each, each.id === session?.id),
          ...renderSessionPlace(places.get(each.id)),
        })),
      };
    },
  });

  route({
    on: 'DELETE /user/sessions/:id',
    status: 204,
    async run(ctx, { caller, params }) {
      const self = await limitChanges(ctx, await requireUser(ctx, caller));
      await endSession(ctx, self, params.id ?? '');
    },
  });
}

interface SignOutCall extends Call {
  readonly scope: string;
}

export const endSessions: Operation<SignOutCall, void> = {
  on: 'POST /logout',
  status: 204,
  async run(ctx, { caller, scope }) {
    const self = await requireCaller(ctx, caller);
    const parsed = parseScope(scope);
    // The rate limit applies only to the scope `others`. A request with any other scope ends the caller's session, so
    // the caller can't repeat it.
    if (parsed === 'others') await limitChanges(ctx, self);
    await signOut(ctx, self, parsed);
  },
};

function parseScope(scope: string): SignOutScope {
  if (scope === 'global' || scope === 'local' || scope === 'others') return scope;
  throw authError('validation_failed', `Unsupported logout scope "${scope}"`);
}

interface BrowserSignOutCall extends Call {
  readonly scope: BrowserScope;
}

/**
 * Ends the user's sessions in the caller's browser or in all other browsers. Only the Account pages can call this
 * operation.
 */
export const endBrowserSessions: Operation<BrowserSignOutCall, readonly EndedSession[]> = {
  on: 'POST /logout',
  status: 204,
  async run(ctx, { caller, scope }) {
    const self = await requireUser(ctx, caller);
    if (scope === 'others') await limitChanges(ctx, self);
    return signOutBrowsers(ctx, self, scope);
  },
};

interface EndedCall extends Call {
  readonly userId: string;
  readonly sinceMs: number;
}

/**
 * Explains why a session ended. Only the Account pages call this operation, and only for a browser in which the session
 * was used.
 */
export const endedSession: Operation<EndedCall, SessionEnding | undefined> = {
  on: 'GET /user/sessions',
  run: (ctx, ended) => explainEnding(ctx, ended),
};
