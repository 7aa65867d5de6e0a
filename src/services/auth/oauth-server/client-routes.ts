/** Declares the routes for administering and dynamically registering the OAuth server's clients (RFC 7591). */

import type { JsonObject } from '../common/json.ts';
import type { Call, Operation } from '../common/operation.ts';
import type { OAuthClient } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
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
import { renderMachineClient } from './machine-client.ts';
import { isMachineOnly } from './registration.ts';

export function oauthClientRoutes(route: Route): void {
  route(register, { render });
  // As in upstream, an empty list is omitted.
  route(list, { render: (clients) => (clients.length === 0 ? {} : { clients: clients.map(render) }) });
  route(add, { render });
  route(read, { render });
  route(change, { render });
  route(remove);
  route(replaceSecret, { render });
}

const register: Operation<Call, RegisteredClient> = {
  on: 'POST /oauth/clients/register',
  status: 201,
  guards: [limitByAddress('oauth_register')],
  run: (ctx, { body }) => registerDynamically(ctx, body),
};

const list: Operation<Call, RegisteredClient[]> = {
  on: 'GET /admin/oauth/clients',
  async run(ctx, call) {
    await enter(ctx, call);
    return listClients(ctx);
  },
};

const add: Operation<Call, RegisteredClient> = {
  on: 'POST /admin/oauth/clients',
  status: 201,
  async run(ctx, call) {
    await enter(ctx, call);
    return registerByAdmin(ctx, call.body);
  },
};

const read: Operation<Exchange, RegisteredClient> = {
  on: 'GET /admin/oauth/clients/:clientId',
  run: async (ctx, exchange) => describeClient(ctx, await findForAdmin(ctx, exchange)),
};

const change: Operation<Exchange, RegisteredClient> = {
  on: 'PUT /admin/oauth/clients/:clientId',
  run: async (ctx, exchange) => updateClient(ctx, await findForAdmin(ctx, exchange), exchange.body),
};

const remove: Operation<Exchange, void> = {
  on: 'DELETE /admin/oauth/clients/:clientId',
  status: 204,
  run: async (ctx, exchange) => deleteClient(ctx, await findForAdmin(ctx, exchange)),
};

const replaceSecret: Operation<Exchange, RegisteredClient> = {
  on: 'POST /admin/oauth/clients/:clientId/regenerate_secret',
  run: async (ctx, exchange) => regenerateSecret(ctx, await findForAdmin(ctx, exchange)),
};

async function enter(ctx: AuthContext, { caller }: Call): Promise<void> {
  await requireAdmin(ctx, caller);
  requireOAuthServer(ctx);
}

async function findForAdmin(ctx: AuthContext, exchange: Exchange): Promise<OAuthClient> {
  await enter(ctx, exchange);
  return requireOAuthClient(ctx, exchange.params.clientId ?? '');
}

function render({ client, logout, machine, secret }: RegisteredClient): JsonObject {
  return {
    client_id: client.id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    client_type: client.client_type,
    redirect_uris: client.redirect_uris === '' ? [] : client.redirect_uris.split(','),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: client.grant_types.split(','),
    response_types: isMachineOnly(client.grant_types.split(',')) ? [] : ['code'],
    ...(client.client_name ? { client_name: client.client_name } : {}),
    ...(client.client_uri ? { client_uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
    ...renderClientLogout(logout),
    ...renderMachineClient(machine),
    registration_type: client.registration_type,
    created_at: toRfc3339(client.created_at),
    updated_at: toRfc3339(client.updated_at),
  };
}
