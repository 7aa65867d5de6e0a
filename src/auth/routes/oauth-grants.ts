/** /user/oauth/grants: which clients a user has allowed what, and taking it back. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { parseScopes } from '../core/oauth/scopes.ts';
import { toRfc3339 } from '../core/times.ts';
import { authError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { isUuid, requirePerson } from '../http/authenticate.ts';
import { findConsent, type GrantedClient, listConsents, revokeConsent } from '../queries/oauth-consents.ts';
import { deleteClientSessions } from '../queries/sessions.ts';
import { renderClient, requireOAuthServer } from './oauth-server.ts';
import type { Define } from './route.ts';

export function oauthGrantRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/user/oauth/grants', async (exchange) => {
    const { user } = await requirePerson(ctx, exchange);
    requireOAuthServer(ctx);
    const consents = await listConsents(ctx.pool, user.id);
    return consents.map(renderGrant);
  });

  define('DELETE', '/user/oauth/grants', async (exchange) => {
    const { user } = await requirePerson(ctx, exchange);
    requireOAuthServer(ctx);
    const clientId = exchange.query.get('client_id') ?? '';
    if (clientId === '') throw authError('validation_failed', 'client_id query parameter is required');
    if (!isUuid(clientId)) throw authError('validation_failed', 'invalid client_id format');
    await ctx.pool.transaction(async (tx) => {
      const consent = await findConsent(tx, user.id, clientId);
      if (consent === undefined) {
        throw authError('oauth_consent_not_found', 'No active grant found for this client');
      }
      await revokeConsent(tx, consent.id, ctx.clock.now());
      await deleteClientSessions(tx, user.id, clientId);
      const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' };
      await audit(ctx, tx, user, 'token_revoked', { traits });
    });
    return exchange.reply.code(204).send();
  });
}

/** How users see what they have allowed a client. */
export function renderGrant(consent: GrantedClient): JsonObject {
  return {
    client: renderClient({ ...consent, id: consent.client_id }),
    scopes: [...parseScopes(consent.scopes)],
    granted_at: toRfc3339(consent.granted_at),
  };
}
