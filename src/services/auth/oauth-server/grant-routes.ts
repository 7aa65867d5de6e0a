/** Declares /user/oauth/grants, which lists and revokes a user's grants to OAuth clients. */

import type { Caller, UserCaller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { requireOAuthServer } from './authorize.ts';
import type { GrantedClient } from './consent-queries.ts';
import { listGrants, revokeGrant } from './grants.ts';
import { renderClient } from './render-authorization.ts';
import { parseScopes } from './scopes.ts';

export function oauthGrantRoutes(route: Route): void {
  route(list, { render: (grants) => grants.map(renderGrant) });
  route(revoke);
}

const list: Operation<Call, GrantedClient[]> = {
  on: 'GET /user/oauth/grants',
  run: async (ctx, { caller }) => listGrants(ctx, await enter(ctx, caller)),
};

const revoke: Operation<Exchange, void> = {
  on: 'DELETE /user/oauth/grants',
  status: 204,
  async run(ctx, { caller, query }) {
    const self = await limitChanges(ctx, await enter(ctx, caller));
    await revokeGrant(ctx, self, query.get('client_id') ?? '');
  },
};

async function enter(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  const user = await requirePerson(ctx, caller);
  requireOAuthServer(ctx);
  return user;
}

/** Renders a grant for the user who granted the access. */
export function renderGrant(consent: GrantedClient): JsonObject {
  return {
    client: renderClient({ ...consent, id: consent.client_id }),
    scopes: [...parseScopes(consent.scopes)],
    granted_at: toRfc3339(consent.granted_at),
  };
}
