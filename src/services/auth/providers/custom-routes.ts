/**
 * Declares /admin/custom-providers, the routes for the project's custom OAuth2 and OIDC providers. Responses never
 * contain the secret.
 */

import type { JsonObject } from '../common/json.ts';
import type { CustomProvider } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { Router } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { addCustom, changeCustom, listCustom, removeCustom, requireCustom } from './custom-admin.ts';

export function customProviderRoutes({ define }: Router, ctx: AuthContext): void {
  define('GET', '/admin/custom-providers', async ({ caller, query }) => {
    await requireAdmin(ctx, caller);
    const type = query.get('type') ?? '';
    if (type !== '' && type !== 'oauth2' && type !== 'oidc') {
      throw authError('validation_failed', "type must be either 'oauth2' or 'oidc'");
    }
    return { providers: (await listCustom(ctx, type === '' ? undefined : type)).map(render) };
  });

  define('POST', '/admin/custom-providers', async ({ caller, body, reply }) => {
    await requireAdmin(ctx, caller);
    const row = await addCustom(ctx, body());
    return reply.code(201).send(render(row));
  });

  define('GET', '/admin/custom-providers/:id', async ({ caller, params }) => {
    await requireAdmin(ctx, caller);
    return render(await requireCustom(ctx, params.id ?? ''));
  });

  define('PUT', '/admin/custom-providers/:id', async ({ caller, body, params }) => {
    await requireAdmin(ctx, caller);
    const fields = body();
    return render(await changeCustom(ctx, await requireCustom(ctx, params.id ?? ''), fields));
  });

  define('DELETE', '/admin/custom-providers/:id', async ({ caller, params, reply }) => {
    await requireAdmin(ctx, caller);
    await removeCustom(ctx, await requireCustom(ctx, params.id ?? ''));
    return reply.code(204).send();
  });
}

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
