/**
 * Declares the routes of a user's own account: GET and PUT /user, GET /reauthenticate, and four routes that upstream
 * doesn't have. DELETE /user/email_change and DELETE /user/phone_change cancel an unconfirmed change, if one is pending.
 * GET /user/data exports the account data, and DELETE /user deletes the account if the project allows it. OAuth clients
 * that act for a user can't use the last two routes.
 */
import { audienceOf, firstAudience } from '../common/caller.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { renderUser } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { authError } from '../errors.ts';
import { renderRecoveryCodes } from '../factors/recovery-code-routes.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { renderGrant } from '../oauth-server/routes.ts';
import { renderPasskey } from '../passkeys/routes.ts';
import { renderEvent } from '../security-events/events.ts';
import { requireOwnUser, requirePerson, requireUser } from '../sessions/authenticate.ts';
import { renderSessionEntry } from '../sessions/own-sessions.ts';
import { renderUserKey } from '../user-keys/render.ts';
import { cancelPendingEmail, cancelPendingPhone } from './contact-changes.ts';
import { deleteOwnAccount, exportOwnData } from './own-account.ts';
import { updateOwnUser } from './own-user.ts';
import { reauthenticate } from './reauthentication.ts';

export function accountRoutes(route: Route): void {
  route(readOwnUser, { render: renderUser });
  route(changeOwnUser, { render: renderUser });

  route({
    on: 'GET /reauthenticate',
    async run(ctx, { caller }) {
      const messageId = await reauthenticate(ctx, await requireUser(ctx, caller));
      return messageId === undefined ? {} : { message_id: messageId };
    },
  });

  route({
    on: 'DELETE /user/email_change',
    status: 204,
    run: async (ctx, { caller }) =>
      cancelPendingEmail(ctx, await limitChanges(ctx, await requireUser(ctx, caller))),
  });

  route({
    on: 'DELETE /user/phone_change',
    status: 204,
    run: async (ctx, { caller }) =>
      cancelPendingPhone(ctx, await limitChanges(ctx, await requireUser(ctx, caller))),
  });

  route({
    on: 'GET /user/data',
    guards: [limitByAddress('user')],
    async run(ctx, { caller, reply }) {
      const self = await requirePerson(ctx, caller);
      const exported = await exportOwnData(ctx, self);
      reply.header('cache-control', 'no-store');
      return {
        exported_at: fromMs(ctx.clock.now()),
        user: renderUser(exported.user),
        sessions: exported.sessions.map((each) => renderSessionEntry(each, each.id === self.session?.id)),
        passkeys: exported.passkeys.map(renderPasskey),
        oauth_grants: exported.grants.map(renderGrant),
        api_keys: exported.userKeys.map(renderUserKey),
        security_events: exported.events.map(renderEvent),
        recovery_codes: exported.recoveryCodes && renderRecoveryCodes(exported.recoveryCodes),
      };
    },
  });

  route({
    on: 'DELETE /user',
    status: 204,
    guards: [limitByAddress('user')],
    async run(ctx, { caller }) {
      if (!ctx.settings.deletionEnabled) throw authError('feature_disabled', 'Account deletion is disabled');
      await deleteOwnAccount(ctx, await requirePerson(ctx, caller));
    },
  });
}

export const readOwnUser: Operation<Call, User> = {
  on: 'GET /user',
  async run(ctx, { caller }) {
    const { claims, user } = await requireOwnUser(ctx, caller);
    if (audienceOf(ctx, caller, claims) !== firstAudience(claims)) {
      throw authError('validation_failed', "Token audience doesn't match request audience");
    }
    return user;
  },
};

export const changeOwnUser: Operation<Call, User> = {
  on: 'PUT /user',
  guards: [limitByAddress('user')],
  run: (ctx, { caller, body }) =>
    retryOnConflict(async () => {
      const self = await requireUser(ctx, caller);
      await updateOwnUser(ctx, self, body());
      return self.user;
    }),
};
