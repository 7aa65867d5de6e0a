/**
 * The routes that manage connections to SAML identity providers. The auth service validates and stores the connections.
 */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, fresh } from '../routes/api.ts';
import type { ServiceClient } from '../service-client.ts';
import type { AuthUsers } from './auth.ts';
import type { SsoConnection } from './sso-contract.ts';

export interface SsoDeps {
  readonly users: Pick<AuthUsers, 'inspectSaml'>;
  readonly callService: ServiceClient;
  /** Returns null if SAML is disabled. */
  readonly serviceProvider: () => Promise<{ readonly entityId: string; readonly acsUrl: string } | null>;
  readonly audit: Audit;
}

const providers = '/auth/v1/admin/sso/providers';
const missing = "This SSO connection doesn't exist.";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A connection in the format of the auth service's admin API. */
interface Provider {
  readonly id: string;
  readonly disabled: boolean | null;
  readonly saml: {
    readonly entity_id: string;
    readonly metadata_xml?: string;
    readonly metadata_url?: string;
    readonly attribute_mapping: { readonly keys?: SsoConnection['mapping'] };
  };
  readonly domains: readonly { readonly domain: string }[];
  readonly created_at: string;
}

export function ssoRoutes(api: Api, { users, callService, serviceProvider, audit }: SsoDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  const find = async (id: string): Promise<Provider> => {
    if (!uuid.test(id)) throw new ConsoleError('not_found', { message: missing });
    return (await callService(`${providers}/${id}`, { missing })).body as unknown as Provider;
  };
  const checked = async (source: Source) => {
    const { entityId, signOnUrl, certificates, validUntil } = await users.inspectSaml(sourceOf(source));
    return { entityId, signOnUrl, certificates, validUntil };
  };

  route('GET /sso', 'read', async () => {
    const own = await serviceProvider();
    if (own === null) return { serviceProvider: null, connections: [] };
    const { items } = (await callService(providers)).body as unknown as { items: readonly Provider[] };
    return {
      serviceProvider: { entityId: own.entityId, acsUrl: own.acsUrl },
      connections: items.map(connectionOf),
    };
  });
  route('POST /sso', fresh('write'), async (call) => {
    const { source, domains, mapping } = await call.body();
    const body = { type: 'saml', ...metadataOf(source), domains, attribute_mapping: { keys: mapping } };
    const made = (await callService(providers, { method: 'POST', body })).body as unknown as Provider;
    await audit(call, 'sso.create', made.saml.entity_id, { id: made.id, domains });
    return connectionOf(made);
  });
  // The operator enters the URL that this route fetches, so the route requires the permission to add a connection.
  route('POST /sso/check', 'write', async (call) => checked(await call.body()));
  route('PUT /sso/:id', fresh('write'), async (call) => {
    const before = await find(call.params.id);
    const { source, disabled, domains, mapping } = await call.body();
    const body = { ...metadataOf(source ?? {}), disabled, domains, attribute_mapping: { keys: mapping } };
    const { body: after } = await callService(`${providers}/${before.id}`, { method: 'PUT', body, missing });
    await audit(call, 'sso.change', before.saml.entity_id, { id: before.id, domains, disabled });
    return connectionOf(after as unknown as Provider);
  });
  route('POST /sso/:id/check', 'write', async (call) => {
    const { saml } = await find(call.params.id);
    return checked(saml.metadata_url === undefined ? { xml: saml.metadata_xml } : { url: saml.metadata_url });
  });
  route('DELETE /sso/:id', fresh('write'), async (call) => {
    const { id, saml, domains } = await find(call.params.id);
    await callService(`${providers}/${id}`, { method: 'DELETE', missing });
    await audit(call, 'sso.remove', saml.entity_id, { id, domains: domains.map(({ domain }) => domain) });
  });
}

interface Source {
  readonly url?: string | undefined;
  readonly xml?: string | undefined;
}

const metadataOf = ({ url, xml }: Source) => ({
  ...(url === undefined ? {} : { metadata_url: url }),
  ...(xml === undefined ? {} : { metadata_xml: xml }),
});

const sourceOf = ({ url, xml = '' }: Source) => (url === undefined ? { xml } : { url });

const connectionOf = ({ id, saml, domains, disabled, created_at }: Provider): SsoConnection => ({
  id,
  entityId: saml.entity_id,
  metadataUrl: saml.metadata_url ?? null,
  domains: domains.map(({ domain }) => domain),
  mapping: saml.attribute_mapping.keys ?? {},
  disabled: disabled === true,
  createdAt: created_at,
});
