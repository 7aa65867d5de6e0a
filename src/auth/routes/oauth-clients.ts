/** Clients of our OAuth server: their administration, and their own registration (RFC 7591). */
import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../context.ts';
import type { Fields } from '../core/fields.ts';
import type { JsonObject } from '../core/json.ts';
import { parseRegistration, parseUpdate } from '../core/oauth/registration.ts';
import { clientSecretText, hashClientSecret } from '../core/oauth/secrets.ts';
import { toRfc3339 } from '../core/times.ts';
import { AuthError, authError } from '../errors.ts';
import { isUuid, requireAdmin } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  deleteOAuthClient,
  findOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  updateOAuthClient,
} from '../queries/oauth-clients.ts';
import { deleteSessionsOfClient } from '../queries/sessions.ts';
import type { OAuthClient } from '../rows.ts';
import { requireOAuthServer } from './oauth-server.ts';
import type { Define } from './route.ts';

export function oauthClientRoutes(define: Define, ctx: AuthContext): void {
  const registerItself = async (exchange: Exchange) => {
    requireOAuthServer(ctx);
    if (!ctx.settings.oauthServer.allowsRegistration) {
      throw authError('oauth_dynamic_client_registration_disabled');
    }
    exchange.reply.code(201);
    return register(ctx, exchange, 'dynamic');
  };
  define('POST', '/oauth/clients/register', registerItself, { limit: 'oauth_register' });

  define('GET', '/admin/oauth/clients', async (exchange) => {
    await requireAdministration(ctx, exchange);
    const clients = await listOAuthClients(ctx.pool);
    // Upstream leaves an empty list out.
    return clients.length === 0 ? {} : { clients: clients.map((client) => render(client)) };
  });

  define('POST', '/admin/oauth/clients', async (exchange) => {
    await requireAdministration(ctx, exchange);
    exchange.reply.code(201);
    return register(ctx, exchange, 'manual');
  });

  define('GET', '/admin/oauth/clients/:clientId', async (exchange) => {
    await requireAdministration(ctx, exchange);
    return render(await requireClient(ctx, exchange));
  });

  define('PUT', '/admin/oauth/clients/:clientId', async (exchange) => {
    await requireAdministration(ctx, exchange);
    const client = await requireClient(ctx, exchange);
    const patch = reading(exchange, (fields) => parseUpdate(fields, client.client_type));
    const updated = await updateOAuthClient(ctx.pool, client.id, patch, ctx.clock.now());
    if (updated === undefined) throw authError('oauth_client_not_found');
    return render(updated);
  });

  define('DELETE', '/admin/oauth/clients/:clientId', async (exchange) => {
    await requireAdministration(ctx, exchange);
    const client = await requireClient(ctx, exchange);
    await ctx.pool.transaction(async (tx) => {
      await deleteOAuthClient(tx, client.id, ctx.clock.now());
      // Upstream leaves them, though nobody can refresh them any more.
      await deleteSessionsOfClient(tx, client.id);
    });
    return exchange.reply.code(204).send();
  });

  define('POST', '/admin/oauth/clients/:clientId/regenerate_secret', async (exchange) => {
    await requireAdministration(ctx, exchange);
    const client = await requireClient(ctx, exchange);
    if (client.client_type === 'public') {
      throw authError('validation_failed', 'Cannot regenerate secret for public client');
    }
    const secret = clientSecretText();
    const secretHash = hashClientSecret(secret);
    const updated = await updateOAuthClient(ctx.pool, client.id, { secretHash }, ctx.clock.now());
    if (updated === undefined) throw authError('oauth_client_not_found');
    return render(updated, secret);
  });
}

async function requireAdministration(ctx: AuthContext, exchange: Exchange): Promise<void> {
  await requireAdmin(ctx, exchange);
  requireOAuthServer(ctx);
}

/** Throws 404 `oauth_client_not_found`. */
async function requireClient(ctx: AuthContext, exchange: Exchange): Promise<OAuthClient> {
  const id = exchange.params.clientId ?? '';
  if (!isUuid(id)) throw authError('validation_failed', 'invalid client_id format');
  const client = await findOAuthClient(ctx.pool, id);
  if (client === undefined) throw authError('oauth_client_not_found');
  return client;
}

async function register(
  ctx: AuthContext,
  exchange: Exchange,
  registrationType: 'manual' | 'dynamic',
): Promise<JsonObject> {
  const registration = reading(exchange, (fields) => {
    try {
      return parseRegistration(fields);
    } catch (error) {
      // Upstream prints its own error into the message here, status included.
      if (!(error instanceof AuthError) || error.code !== 'validation_failed') throw error;
      throw authError('validation_failed', `${error.status}: ${error.message}`);
    }
  });
  const secret = registration.clientType === 'confidential' ? clientSecretText() : undefined;
  const client = await insertOAuthClient(
    ctx.pool,
    {
      ...registration,
      id: randomUUID(),
      registrationType,
      secretHash: secret === undefined ? null : hashClientSecret(secret),
    },
    ctx.clock.now(),
  );
  return render(client, secret);
}

function reading<T>(exchange: Exchange, read: (fields: Fields) => T): T {
  try {
    return read(exchange.body());
  } catch (error) {
    const isFaulty = error instanceof AuthError && error.code === 'bad_json';
    throw isFaulty ? authError('bad_json', 'Invalid JSON body') : error;
  }
}

/** The secret is shown once, to whoever has just got it. */
function render(client: OAuthClient, secret?: string): JsonObject {
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
    registration_type: client.registration_type,
    created_at: toRfc3339(client.created_at),
    updated_at: toRfc3339(client.updated_at),
  };
}
