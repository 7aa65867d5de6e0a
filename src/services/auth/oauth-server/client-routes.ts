/** Declares the routes for administering and dynamically registering the OAuth server's clients (RFC 7591). */

import type { JsonObject } from '../common/json.ts';
import type { OAuthClient } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Handler, Router } from '../http/route.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { requireOAuthServer } from './authorize.ts';
import { renderClientLogout } from './client-logout.ts';
import {
  deleteClient,
  describeClient,
  listClients,
  type RegisteredClient,
  regenerateSecret,
  registerByAdmin,
  registerDynamically,
  requireOAuthClient,
  updateClient,
} from './clients.ts';

export function oauthClientRoutes({ define }: Router, ctx: AuthContext): void {
  const enter = async ({ caller }: Exchange): Promise<void> => {
    await requireAdmin(ctx, caller);
    requireOAuthServer(ctx);
  };
  const enterWithClient = async (exchange: Exchange): Promise<OAuthClient> => {
    await enter(exchange);
    return requireOAuthClient(ctx, exchange.params.clientId ?? '');
  };

  const register: Handler = async ({ body, reply }) => {
    const registered = registerDynamically(ctx, body);
    reply.code(201);
    return render(await registered);
  };
  define('POST', '/oauth/clients/register', register, [limitByAddress('oauth_register')]);

  define('GET', '/admin/oauth/clients', async (exchange) => {
    await enter(exchange);
    const clients = await listClients(ctx);
    // As in upstream, an empty list is omitted.
    return clients.length === 0 ? {} : { clients: clients.map(render) };
  });

  define('POST', '/admin/oauth/clients', async (exchange) => {
    await enter(exchange);
    exchange.reply.code(201);
    return render(await registerByAdmin(ctx, exchange.body));
  });

  define('GET', '/admin/oauth/clients/:clientId', async (exchange) =>
    render(await describeClient(ctx, await enterWithClient(exchange))),
  );

  define('PUT', '/admin/oauth/clients/:clientId', async (exchange) =>
    render(await updateClient(ctx, await enterWithClient(exchange), exchange.body)),
  );

  define('DELETE', '/admin/oauth/clients/:clientId', async (exchange) => {
    await deleteClient(ctx, await enterWithClient(exchange));
    return exchange.reply.code(204).send();
  });

  define('POST', '/admin/oauth/clients/:clientId/regenerate_secret', async (exchange) =>
    render(await regenerateSecret(ctx, await enterWithClient(exchange))),
  );
}

function render({ client, logout, secret }: RegisteredClient): JsonObject {
  return {
    client_id: client.id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    client_type: client.client_type,
    redirect_uris: client.redirect_uris.split(','),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: client.grant_types.split(','),
    response_types: ['code'],
    ...(client.client_name ? { client_name: client.client_name } : {}),
    ...(client.client_uri ? { client_uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
    ...renderClientLogout(logout),
    registration_type: client.registration_type,
    created_at: toRfc3339(client.created_at),
    updated_at: toRfc3339(client.updated_at),
  };
}
