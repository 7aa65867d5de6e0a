/**
 * Declares /admin/sso/providers, the routes for SAML identity providers. Their code is loaded by the first request,
 * because few projects use it.
 */

import type { Json, JsonObject } from '../common/json.ts';
import type { Operation } from '../common/operation.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import type { SsoProvider } from './queries.ts';

const loadProviders = () => import('./providers.ts');

export function adminSsoRoutes(route: Route): void {
  route(list, { render: (providers) => ({ items: providers.map(render) }) });
  route(create, { render });
  route(read, { render });
  route(change, { render });
  route(remove, { render });
}

const list: Operation<Exchange, SsoProvider[]> = {
  on: 'GET /admin/sso/providers',
  async run(ctx, { caller, query }) {
    await requireAdmin(ctx, caller);
    return (await loadProviders()).listSsoProviders(ctx, {
      resourceId: query.get('resource_id') ?? '',
      resourceIdPrefix: query.get('resource_id_prefix') ?? '',
    });
  },
};

const create: Operation<Exchange, SsoProvider> = {
  on: 'POST /admin/sso/providers',
  status: 201,
  async run(ctx, { caller, body }) {
    await requireAdmin(ctx, caller);
    return (await loadProviders()).createSsoProvider(ctx, body());
  },
};

const read: Operation<Exchange, SsoProvider> = { on: 'GET /admin/sso/providers/:id', run: findForAdmin };

const change: Operation<Exchange, SsoProvider> = {
  on: 'PUT /admin/sso/providers/:id',
  async run(ctx, exchange) {
    const current = await findForAdmin(ctx, exchange);
    return (await loadProviders()).changeSsoProvider(ctx, current, exchange.body());
  },
};

const remove: Operation<Exchange, SsoProvider> = {
  on: 'DELETE /admin/sso/providers/:id',
  async run(ctx, exchange) {
    const current = await findForAdmin(ctx, exchange);
    await (await loadProviders()).removeSsoProvider(ctx, current);
    return current;
  },
};

async function findForAdmin(ctx: AuthContext, { caller, params }: Exchange): Promise<SsoProvider> {
  await requireAdmin(ctx, caller);
  return (await loadProviders()).requireSsoProvider(ctx, params.id ?? '');
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
