/** Declares /user/oauth/grants, which lists and revokes a user's grants to OAuth clients. */

import type { UserCaller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { requireOAuthServer } from './authorize.ts';
import type { GrantedClient } from './consent-queries.ts';
import { listGrants, revokeGrant } from './grants.ts';
import { renderClient } from './render-authorization.ts';
import { parseScopes } from './scopes.ts';

export function oauthGrantRoutes({ define }: Router, ctx: AuthContext): void {
  const enter = async ({ caller }: Exchange): Promise<UserCaller> => {
    const user = await requirePerson(ctx, caller);
    requireOAuthServer(ctx);
    return user;
  };

  define('GET', '/user/oauth/grants', async (exchange) =>
    (await listGrants(ctx, await enter(exchange))).map(renderGrant),
  );

  define('DELETE', '/user/oauth/grants', async (exchange) => {
    const self = await limitChanges(ctx, await enter(exchange));
    await revokeGrant(ctx, self, exchange.query.get('client_id') ?? '');
    return exchange.reply.code(204).send();
  });
}

/** Renders a grant for the user who granted the access. */
export function renderGrant(consent: GrantedClient): JsonObject {
  return {
    client: renderClient({ ...consent, id: consent.client_id }),
    scopes: [...parseScopes(consent.scopes)],
    granted_at: toRfc3339(consent.granted_at),
  };
}
