/** /admin/sso/providers: connections to SAML identity providers. */
import type { AuthContext } from '../context.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { authError } from '../errors.ts';
import { changeProvider, createProvider } from '../flows/sso-providers.ts';
import { isUuid, requireAdmin } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  deleteProvider,
  findProviderById,
  findProviderByResourceId,
  listProviders,
  type SsoProvider,
} from '../queries/sso.ts';
import type { Define } from './route.ts';

export function adminSsoRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/admin/sso/providers', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const providers = await listProviders(ctx.pool, {
      resourceId: exchange.query.get('resource_id') ?? '',
      resourceIdPrefix: exchange.query.get('resource_id_prefix') ?? '',
    });
    // Documents are long: whoever wants one asks for the provider.
    return { items: providers.map((provider) => render({ ...provider, metadata_xml: '' })) };
  });

  define('POST', '/admin/sso/providers', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return exchange.reply.code(201).send(render(await createProvider(ctx, exchange)));
  });

  define('GET', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return render(await requireProvider(ctx, exchange));
  });

  define('PUT', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return render(await changeProvider(ctx, exchange, await requireProvider(ctx, exchange)));
  });

  define('DELETE', '/admin/sso/providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const provider = await requireProvider(ctx, exchange);
    await deleteProvider(ctx.pool, provider.id);
    return render(provider);
  });
}

/** By id, or `resource_` and the project's own name of it. */
async function requireProvider(ctx: AuthContext, { params }: Exchange): Promise<SsoProvider> {
  const { id = '' } = params;
  const resourceId = /^resource_(.*)$/s.exec(id)?.[1];
  const provider =
    resourceId !== undefined
      ? await findProviderByResourceId(ctx.pool, resourceId)
      : isUuid(id)
        ? await findProviderById(ctx.pool, id)
        : undefined;
  if (!provider) throw authError('sso_provider_not_found', 'SSO Identity Provider not found');
  return provider;
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
