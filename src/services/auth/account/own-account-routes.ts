/**
 * Declares two routes that upstream doesn't have. GET /user/data exports a user's account data. DELETE /user deletes
 * the account if the project allows it. OAuth clients that act for a user can't use these two routes.
 */

import { renderUser } from '../common/render-user.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { renderRecoveryCodes } from '../factors/recovery-code-routes.ts';
import type { Handler, Router } from '../http/route.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { renderGrant } from '../oauth-server/grant-routes.ts';
import { renderPasskey } from '../passkeys/render.ts';
import { renderEvent } from '../security-events/events.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { renderSessionEntry } from '../sessions/entry.ts';
import { deleteOwnAccount, exportOwnData } from './own-account.ts';

export function ownAccountRoutes({ define }: Router, ctx: AuthContext): void {
  const data: Handler = async ({ caller, reply }) => {
    const self = await requirePerson(ctx, caller);
    const exported = await exportOwnData(ctx, self);
    reply.header('cache-control', 'no-store');
    return {
      exported_at: fromMs(ctx.clock.now()),
      user: renderUser(exported.user),
      sessions: exported.sessions.map((each) => renderSessionEntry(each, each.id === self.session?.id)),
      passkeys: exported.passkeys.map(renderPasskey),
      oauth_grants: exported.grants.map(renderGrant),
      security_events: exported.events.map(renderEvent),
      recovery_codes: exported.recoveryCodes && renderRecoveryCodes(exported.recoveryCodes),
    };
  };
  define('GET', '/user/data', data, [limitByAddress('user')]);

  const remove: Handler = async ({ caller, reply }) => {
    if (!ctx.settings.deletionEnabled) throw authError('feature_disabled', 'Account deletion is disabled');
    await deleteOwnAccount(ctx, await requirePerson(ctx, caller));
    return reply.code(204).send();
  };
  define('DELETE', '/user', remove, [limitByAddress('user')]);
}
