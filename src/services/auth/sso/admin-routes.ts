/** Declares /admin/sso/providers, the routes for SAML identity providers. */

import type { Json, JsonObject } from '../common/json.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import {
  changeSsoProvider,
  createSsoProvider,
  listSsoProviders,
  removeSsoProvider,
  requireSsoProvider,
} from './providers.ts';
import type { SsoProvider } from './queries.ts';

export function adminSsoRoutes({ define }: Router, ctx: AuthContext): void {
  const provider = ({ params }: Exchange) => requireSsoProvider(ctx, params.id ?? '');

  define('GET', '/admin/sso/providers', async ({ caller, query }) => {
    await requireAdmin(ctx, caller);
    const providers = await listSsoProviders(ctx, {
      resourceId: query.get('resource_id') ?? '',
      resourceIdPrefix: query.get('resource_id_prefix') ?? '',
    });
    return { items: providers.map(render) };
  });

  define('POST', '/admin/sso/providers', async ({ caller, body, reply }) => {
    await requireAdmin(ctx, caller);
    return reply.code(201).send(render(await createSsoProvider(ctx, body())));
  });

  define('GET', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    return render(await provider(exchange));
  });

  define('PUT', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    const current = await provider(exchange);
    return render(await changeSsoProvider(ctx, current, exchange.body()));
  });

  define('DELETE', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    const current = await provider(exchange);
    await removeSsoProvider(ctx, current);
    return render(current);
  });
}

function render(provider: SsoProvider): JsonObject {
  return {
    id: provider.id,
    ...(provider.resource_id === null ? {} : { resource_id: provider.resource_id }),
    disabled: provider.disabled,
    saml: {
      entity_id: provider.entity_id,
      ...(provider.metadata_xml === '' ? {} : { metadata_xml: provider.metadata_xml }),
      ...(provider.metadata_url === null ? {} : { metadata_url: provider.metadata_url }),
      attribute_mapping: (provider.attribute_mapping ?? {}) as Json,
      ...(provider.name_id_format === null ? {} : { name_id_format: provider.name_id_format }),
    },
    domains: provider.domains.map((domain) => ({ domain })),
    created_at: toRfc3339(provider.created_at ?? '1970-01-01 00:00:00+00'),
    updated_at: toRfc3339(provider.updated_at ?? '1970-01-01 00:00:00+00'),
  };
}
