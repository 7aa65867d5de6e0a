/**
 * Declares the routes for users' API keys, which upstream doesn't have. Their code is loaded by the first request. Tokens
 * of OAuth clients and of API keys can't use these routes.
 */
import { requireTarget } from '../admin/users.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { requireAdmin, requirePerson } from '../sessions/authenticate.ts';
import { renderUserKey } from './render.ts';

export function userKeyRoutes(route: Route): void {
  route(listOwn);
  route(create);
  route(revokeOwn);
  route(listForAdmin);
  route(revokeForAdmin);
}

async function load(ctx: AuthContext) {
  const manage = await import('./manage.ts');
  manage.requireUserKeys(ctx);
  return manage;
}

const listOwn: Operation<Call, JsonObject> = {
  on: 'GET /user/api-keys',
  async run(ctx, { caller }) {
    const { user } = await requirePerson(ctx, caller);
    const { listKeysOf } = await load(ctx);
    return {
      keys: (await listKeysOf(ctx, user)).map(renderUserKey),
      available_scopes: [...ctx.settings.userKeys.scopes],
    };
  },
};

const create: Operation<Call, JsonObject> = {
  on: 'POST /user/api-keys',
  status: 201,
  async run(ctx, { caller, body }) {
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    if (self.user.is_anonymous) {
      throw authError('no_authorization', 'Anonymous user not allowed to perform these actions', {
        status: 403,
      });
    }
    const { createOwnKey } = await load(ctx);
    const { row, key } = await createOwnKey(ctx, self, body());
    caller.setHeader('cache-control', 'no-store');
    return { ...renderUserKey(row), key };
  },
};

const revokeOwn: Operation<Exchange, void> = {
  on: 'DELETE /user/api-keys/:keyId',
  status: 204,
  async run(ctx, { caller, params }) {
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    const { revokeOwnKey } = await load(ctx);
    await revokeOwnKey(ctx, self, params.keyId ?? '');
  },
};

const listForAdmin: Operation<Exchange, JsonObject> = {
  on: 'GET /admin/users/:userId/api-keys',
  async run(ctx, { caller, params }) {
    await requireAdmin(ctx, caller);
    const user = await requireTarget(ctx, params.userId ?? '');
    const { listKeysOf } = await load(ctx);
    return { keys: (await listKeysOf(ctx, user)).map(renderUserKey) };
  },
};

const revokeForAdmin: Operation<Exchange, void> = {
  on: 'DELETE /admin/users/:userId/api-keys/:keyId',
  status: 204,
  async run(ctx, { caller, params }) {
    const admin = await requireAdmin(ctx, caller);
    const user = await requireTarget(ctx, params.userId ?? '');
    const { revokeKeyByAdmin } = await load(ctx);
    await revokeKeyByAdmin(ctx, admin, user, params.keyId ?? '');
  },
};
