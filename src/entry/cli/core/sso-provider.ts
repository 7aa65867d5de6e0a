/** Formats an identity provider's fields as tables, as upstream's CLI 3.1 does. */

export interface SsoProvider {
  readonly id: string;
  readonly saml?: {
    readonly entity_id?: string;
    readonly metadata_url?: string;
    readonly metadata_xml?: string;
    readonly name_id_format?: string;
    readonly attribute_mapping?: unknown;
  };
  readonly domains?: readonly { readonly domain: string }[];
  readonly created_at?: string;
  readonly updated_at?: string;
}

const timeText = (time: string | undefined): string => time?.slice(0, 19).replace('T', ' ') ?? '';

export function providerRows({ id, saml, domains = [], created_at, updated_at }: SsoProvider) {
  return {
    id,
    type: saml === undefined ? 'unknown' : 'SAML 2.0',
    domains: domains.map(({ domain }) => domain).join(', ') || '-',
    entityId: saml?.entity_id || '-',
    metadata: saml?.metadata_url || 'FILE',
    nameIdFormat: saml?.name_id_format || '-',
    createdAt: timeText(created_at),
    updatedAt: timeText(updated_at),
  };
}
