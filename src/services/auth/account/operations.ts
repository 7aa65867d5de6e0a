/** Implements GET and PUT /user, and POST /logout. */

import { audienceOf, firstAudience } from '../common/audience.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { User } from '../common/rows.ts';
import { authError } from '../errors.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import type { EndedSession } from '../oauth-server/logout.ts';
import { requireCaller, requireUser } from '../sessions/authenticate.ts';
import { type BrowserScope, type SignOutScope, signOut, signOutBrowsers } from '../sessions/own-sessions.ts';
import { updateOwnUser } from './own-user.ts';

export const readOwnUser: Operation<Call, User> = {
  guards: [],
  async run(ctx, { caller }) {
    const { claims, user } = await requireCaller(ctx, caller);
    if (audienceOf(ctx, caller, claims) !== firstAudience(claims)) {
      throw authError('validation_failed', "Token audience doesn't match request audience");
    }
    return user;
  },
};

export const changeOwnUser: Operation<Call, User> = {
  guards: [limitByAddress('user')],
  run: (ctx, { caller, body }) =>
    retryOnConflict(async () => {
      const self = await requireUser(ctx, caller);
      await updateOwnUser(ctx, self, body());
      return self.user;
    }),
};

export interface SignOutCall extends Call {
  readonly scope: string;
}

export const endSessions: Operation<SignOutCall, void> = {
  guards: [],
  async run(ctx, { caller, scope }) {
    const self = await requireCaller(ctx, caller);
    const parsed = parseScope(scope);
    // The rate limit applies only to the scope `others`. A request with any other scope ends the caller's session, so
    // the caller can't repeat it.
    if (parsed === 'others') await limitChanges(ctx, self);
    await signOut(ctx, self, parsed);
  },
};

export interface BrowserSignOutCall extends Call {
  readonly scope: BrowserScope;
}

/**
 * Ends the user's sessions in the caller's browser or in all other browsers. Only the Account pages can call this
 * operation.
 */
export const endBrowserSessions: Operation<BrowserSignOutCall, readonly EndedSession[]> = {
  guards: [],
  async run(ctx, { caller, scope }) {
    const self = await requireUser(ctx, caller);
    if (scope === 'others') await limitChanges(ctx, self);
    return signOutBrowsers(ctx, self, scope);
  },
};

function parseScope(scope: string): SignOutScope {
  if (scope === 'global' || scope === 'local' || scope === 'others') return scope;
  throw authError('validation_failed', `Unsupported logout scope "${scope}"`);
}
