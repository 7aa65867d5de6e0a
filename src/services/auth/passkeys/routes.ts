/**
 * Declares the routes under /passkeys and /admin/users/:userId/passkeys, which register, verify and manage passkeys.
 */
import { requireTarget } from '../admin/users.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import type { Passkey } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress, requireCaptcha } from '../limits/guards.ts';
import { requireAdmin, requireUser } from '../sessions/authenticate.ts';
import { type IssuedSession, renderSession } from '../sessions/issued-session.ts';
import type { PasskeyOptions } from './challenges.ts';
import {
  deleteOwnPasskey,
  deletePasskeyByAdmin,
  listUserPasskeys,
  renameOwnPasskey,
  requirePasskeys,
} from './manage.ts';
import { beginRegistration, finishRegistration } from './registration.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from './sign-in.ts';

export function passkeyRoutes(route: Route): void {
  route({
    on: 'POST /passkeys/registration/options',
    guards: [requirePasskeys],
    run: async (ctx, { caller }) =>
      renderPasskeyOptions(await beginRegistration(ctx, await requireChange(ctx, caller))),
  });

  route({
    on: 'POST /passkeys/registration/verify',
    guards: [requirePasskeys],
    run: async (ctx, { caller, body }) =>
      renderPasskey(await finishRegistration(ctx, await requireChange(ctx, caller), body)),
  });

  route(passkeyChallenge, { render: renderPasskeyOptions });
  route(passkeySignIn, { render: renderSession });

  route({
    on: 'GET /passkeys',
    guards: [requirePasskeys],
    async run(ctx, { caller }) {
      const { user } = await requireUser(ctx, caller);
      return (await listUserPasskeys(ctx, user)).map(renderPasskey);
    },
  });

  route({
    on: 'PATCH /passkeys/:id',
    guards: [requirePasskeys],
    async run(ctx, { caller, params, body }) {
      const self = await requireChange(ctx, caller);
      return renderPasskey(await renameOwnPasskey(ctx, self, params.id ?? '', body));
    },
  });

  route({
    on: 'DELETE /passkeys/:id',
    status: 204,
    guards: [requirePasskeys],
    run: async (ctx, { caller, params }) =>
      deleteOwnPasskey(ctx, await requireChange(ctx, caller), params.id ?? ''),
  });

  route({
    on: 'GET /admin/users/:userId/passkeys',
    async run(ctx, { caller, params }) {
      await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      return (await listUserPasskeys(ctx, user)).map(renderPasskey);
    },
  });

  route({
    on: 'DELETE /admin/users/:userId/passkeys/:passkeyId',
    status: 204,
    async run(ctx, { caller, params }) {
      const admin = await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      await deletePasskeyByAdmin(ctx, admin, user, params.passkeyId ?? '');
    },
  });
}

export const passkeyChallenge: Operation<Call, PasskeyOptions> = {
  on: 'POST /passkeys/authentication/options',
  // `requirePasskeys` runs first, so that the response says that passkeys are disabled even if a rate limit is
  // exceeded.
  guards: [requirePasskeys, limitByAddress('passkey'), requireCaptcha],
  run: beginPasskeySignIn,
};

export const passkeySignIn: Operation<Call, IssuedSession> = {
  on: 'POST /passkeys/authentication/verify',
  guards: [requirePasskeys],
  signIn: 'passkey',
  run: (ctx, { caller, body }) => finishPasskeySignIn(ctx, caller, body()),
};

/** Authenticates a user who changes their own passkeys, and counts the change. */
async function requireChange(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  return limitChanges(ctx, await requireUser(ctx, caller));
}

/** Renders a challenge for registering a passkey or for signing in with one. */
export function renderPasskeyOptions({ challengeId, options, expiresAtSeconds }: PasskeyOptions): object {
  return { challenge_id: challengeId, options, expires_at: expiresAtSeconds };
}

export function renderPasskey(passkey: Passkey): JsonObject {
  return {
    id: passkey.id,
    friendly_name: passkey.friendly_name || undefined,
    created_at: toRfc3339(passkey.created_at),
    last_used_at: passkey.last_used_at === null ? undefined : toRfc3339(passkey.last_used_at),
  };
}
