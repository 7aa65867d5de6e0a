/** Adds and changes SAML identity providers on behalf of administrators. */

import type { Fields } from '../common/fields.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { fetchMetadata } from './metadata.ts';
import {
  deleteDomain,
  deleteProvider,
  findDomainOwner,
  findProviderByEntityId,
  findProviderById,
  findProviderByResourceId,
  insertDomain,
  insertProvider,
  listProviders,
  type ProviderFilter,
  type SsoProvider,
  updateProvider,
} from './queries.ts';
import { type AttributeMapping, parseAttributeMapping } from './saml/assertion.ts';
import { parseIdentityProvider } from './saml/metadata.ts';
import { nameIdFormats } from './saml/xml.ts';

interface ProviderRequest {
  readonly metadataUrl: string;
  readonly metadataXml: string;
  /** The email domains. If undefined, an update keeps the provider's domains. */
  readonly domains: readonly string[] | undefined;
  readonly attributeMapping: AttributeMapping | undefined;
  readonly nameIdFormat: string | undefined;
  readonly resourceId: string | undefined;
  readonly disabled: boolean | undefined;
}

function parseRequest(body: Fields, isUpdate: boolean): ProviderRequest {
  const metadataUrl = body.text('metadata_url');
  const metadataXml = body.text('metadata_xml');
  if (!isUpdate && body.text('type') !== 'saml') {
    throw authError('validation_failed', "Only 'saml' supported for SSO provider type");
  }
  if (metadataUrl !== '' && metadataXml !== '') {
    throw authError('validation_failed', 'Only one of metadata_xml or metadata_url needs to be set');
  }
  if (!isUpdate && metadataUrl === '' && metadataXml === '') {
    throw authError('validation_failed', 'Either metadata_xml or metadata_url must be set');
  }
  if (metadataUrl !== '') requireHttps(metadataUrl);
  const nameIdFormat = body.optionalText('name_id_format');
  const formats: readonly string[] = Object.values(nameIdFormats);
  if (nameIdFormat && !formats.includes(nameIdFormat)) {
    throw authError(
      'validation_failed',
      `name_id_format must be unspecified or one of ${formats.join(', ')}`,
    );
  }
  const written = body.object('attribute_mapping');
  const attributeMapping = written && parseAttributeMapping(written);
  if (written && !attributeMapping) {
    throw authError(
      'bad_json',
      'Could not parse request body as JSON: attribute_mapping has an invalid form',
    );
  }
  return {
    metadataUrl,
    metadataXml,
    domains: body.list('domains'),
    attributeMapping,
    nameIdFormat,
    resourceId: body.optionalText('resource_id'),
    disabled: body.optionalFlag('disabled'),
  };
}

function requireHttps(address: string): void {
  if (!URL.canParse(address) || address.includes('\\')) {
    throw authError('validation_failed', 'metadata_url is not a valid URL');
  }
  if (new URL(address).protocol !== 'https:') {
    throw authError('validation_failed', 'metadata_url is not a HTTPS URL');
  }
}

/**
 * Returns the metadata from the request, or fetches the metadata from the URL in the request. Returns undefined if the
 * request contains neither metadata nor a URL.
 */
async function readMetadata(ctx: AuthContext, { metadataXml, metadataUrl }: ProviderRequest) {
  if (metadataXml === '' && metadataUrl === '') return undefined;
  const xml = metadataXml === '' ? await fetchMetadata(ctx, metadataUrl) : metadataXml;
  return { xml, entityId: parseIdentityProvider(xml).entityId };
}

/**
 * Adds an identity provider.
 * @throws {AuthError} validation_failed, saml_metadata_fetch_failed, saml_idp_already_exists, sso_domain_already_exists
 */
export async function createSsoProvider(ctx: AuthContext, body: Fields): Promise<SsoProvider> {
  const request = parseRequest(body, false);
  const metadata = await readMetadata(ctx, request);
  if (!metadata) throw internalError('The metadata is missing');
  const { xml, entityId } = metadata;
  if (await findProviderByEntityId(ctx.pool, entityId)) {
    throw authError(
      'saml_idp_already_exists',
      `SAML Identity Provider with this EntityID (${entityId}) already exists`,
    );
  }
  const domains = request.domains ?? [];
  for (const domain of domains) {
    const owner = await findDomainOwner(ctx.pool, domain);
    if (!owner) continue;
    throw authError(
      'sso_domain_already_exists',
      `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner})`,
    );
  }
  const provider = {
    resource_id: request.resourceId ?? null,
    disabled: request.disabled ?? null,
    domains: [...domains],
    entity_id: entityId,
    metadata_xml: xml,
    metadata_url: request.metadataUrl || null,
    attribute_mapping: request.attributeMapping ?? {},
    name_id_format: request.nameIdFormat || null,
  };
  return ctx.pool.transaction(async (tx) => {
    const id = await insertProvider(tx, provider, ctx.clock.now()).catch((cause: unknown) => {
      throw internalError('Database error saving SSO provider', cause);
    });
    const saved = await findProviderById(tx, id);
    if (!saved) throw internalError('Database error loading SSO provider');
    return saved;
  });
}

/**
 * Changes a provider. Fields that the request doesn't contain don't change.
 * @throws {AuthError} the errors of {@link createSsoProvider}, and saml_entity_id_mismatch, conflict
 */
export async function changeSsoProvider(
  ctx: AuthContext,
  provider: SsoProvider,
  body: Fields,
): Promise<SsoProvider> {
  const request = parseRequest(body, true);
  const metadata = await readMetadata(ctx, request);
  if (metadata && metadata.entityId !== provider.entity_id) {
    throw authError(
      'saml_entity_id_mismatch',
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${provider.entity_id}' but got '${metadata.entityId}'`,
    );
  }
  const kept = new Set<string>();
  const added: string[] = [];
  for (const domain of request.domains ?? []) {
    const owner = await findDomainOwner(ctx.pool, domain);
    if (owner && owner !== provider.id) {
      throw authError(
        'sso_domain_already_exists',
        `SSO domain '${domain}' already assigned to another provider (${owner})`,
      );
    }
    if (owner) kept.add(domain.toLowerCase());
    else added.push(domain);
  }
  const removed = request.domains ? provider.domains.filter((domain) => !kept.has(domain.toLowerCase())) : [];
  const changed = {
    resource_id: request.resourceId === undefined ? provider.resource_id : request.resourceId || null,
    disabled: request.disabled ?? provider.disabled,
    metadata_xml: metadata?.xml ?? provider.metadata_xml,
    metadata_url: request.metadataUrl || provider.metadata_url,
    attribute_mapping: request.attributeMapping?.keys ? request.attributeMapping : provider.attribute_mapping,
    name_id_format:
      request.nameIdFormat === undefined ? provider.name_id_format : request.nameIdFormat || null,
  };
  try {
    return await ctx.pool.transaction(async (tx) => {
      const now = ctx.clock.now();
      await updateProvider(tx, provider.id, changed, now);
      for (const domain of removed) await deleteDomain(tx, provider.id, domain);
      for (const domain of added) await insertDomain(tx, provider.id, domain, now);
      return (await findProviderById(tx, provider.id)) ?? provider;
    });
  } catch (cause) {
    throw authError('conflict', 'Updating SSO provider failed, likely due to a conflict. Try again?', {
      status: 422,
      cause,
    });
  }
}

/**
 * Finds an identity provider.
 * @param id the provider's ID, or `resource_` followed by the provider's resource ID
 */
export async function requireSsoProvider(ctx: AuthContext, id: string): Promise<SsoProvider> {
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

/** Lists the providers without their metadata documents, which are long. */
export async function listSsoProviders(ctx: AuthContext, filter: ProviderFilter): Promise<SsoProvider[]> {
  const providers = await listProviders(ctx.pool, filter);
  return providers.map((provider) => ({ ...provider, metadata_xml: '' }));
}

export async function removeSsoProvider(ctx: AuthContext, provider: SsoProvider): Promise<void> {
  await deleteProvider(ctx.pool, provider.id);
}
