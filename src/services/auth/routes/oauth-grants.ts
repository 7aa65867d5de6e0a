/** Declares /user/oauth/grants, which lists and revokes a user's grants to OAuth clients. */
import type { UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { renderClient } from '../core/oauth/render-authorization.ts';
import { parseScopes } from '../core/oauth/scopes.ts';
import { toRfc3339 } from '../core/times.ts';
import { requirePerson } from '../flows/authenticate.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import { requireOAuthServer } from '../flows/oauth-authorize.ts';
import { listGrants, revokeGrant } from '../flows/oauth-grants.ts';
import type { Exchange } from '../http/exchange.ts';
import type { GrantedClient } from '../queries/oauth-consents.ts';
import type { Router } from './route.ts';

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
