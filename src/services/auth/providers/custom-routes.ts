/**
 * Declares /admin/custom-providers, the routes for the project's custom OAuth2 and OIDC providers. Responses never
 * contain the secret.
 */
import type { JsonObject } from '../common/json.ts';
import type { Operation } from '../common/operation.ts';
import type { CustomProvider } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { addCustom, changeCustom, listCustom, removeCustom, requireCustom } from './custom-admin.ts';

export function customProviderRoutes(route: Route): void {
  route(list, { render: (rows) => ({ providers: rows.map(render) }) });
  route(add, { render });
  route(read, { render });
  route(change, { render });
  route(remove);
}

const list: Operation<Exchange, CustomProvider[]> = {
  on: 'GET /admin/custom-providers',
  async run(ctx, { caller, query }) {
    await requireAdmin(ctx, caller);
    const type = query.get('type') ?? '';
    if (type !== '' && type !== 'oauth2' && type !== 'oidc') {
      throw authError('validation_failed', "type must be either 'oauth2' or 'oidc'");
    }
    return listCustom(ctx, type === '' ? undefined : type);
  },
};

const add: Operation<Exchange, CustomProvider> = {
  on: 'POST /admin/custom-providers',
  status: 201,
  async run(ctx, { caller, body }) {
    await requireAdmin(ctx, caller);
    return addCustom(ctx, body());
  },
};

const read: Operation<Exchange, CustomProvider> = {
  on: 'GET /admin/custom-providers/:id',
  async run(ctx, { caller, params }) {
    await requireAdmin(ctx, caller);
    return requireCustom(ctx, params.id ?? '');
  },
};

const change: Operation<Exchange, CustomProvider> = {
  on: 'PUT /admin/custom-providers/:id',
  async run(ctx, { caller, body, params }) {
    await requireAdmin(ctx, caller);
    const fields = body();
    return changeCustom(ctx, await requireCustom(ctx, params.id ?? ''), fields);
  },
};

const remove: Operation<Exchange, void> = {
  on: 'DELETE /admin/custom-providers/:id',
  status: 204,
  async run(ctx, { caller, params }) {
    await requireAdmin(ctx, caller);
    await removeCustom(ctx, await requireCustom(ctx, params.id ?? ''));
  },
};

/** Renders a provider with its fields in upstream's order. Omits URLs that are null. */
function render(row: CustomProvider): JsonObject {
  const optional = (value: string | null) => value ?? undefined;
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: row.name,
    client_id: row.client_id,
    acceptable_client_ids: [...row.acceptable_client_ids],
    scopes: [...row.scopes],
    pkce_enabled: row.pkce_enabled,
    attribute_mapping: row.attribute_mapping,
    custom_claims_allowlist: [...row.custom_claims_allowlist],
    authorization_params: row.authorization_params,
    enabled: row.enabled,
    email_optional: row.email_optional,
    issuer: optional(row.issuer),
    discovery_url: optional(row.discovery_url),
    skip_nonce_check: row.skip_nonce_check,
    discovery_document: row.cached_discovery ?? undefined,
    authorization_url: optional(row.authorization_url),
    token_url: optional(row.token_url),
    userinfo_url: optional(row.userinfo_url),
    jwks_uri: optional(row.jwks_uri),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}
