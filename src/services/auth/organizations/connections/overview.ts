/** What the managers of an organization, and the holders of its setup links, see. Contains no secret. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { AuthContext } from '../../context.ts';
import { serviceProvider } from '../../sso/metadata.ts';
import { type ShownDomain, showDomain } from '../domains/domains.ts';
import { listDomains } from '../domains/queries.ts';
import { listScimTokens, type ScimTokenRow } from '../scim/tokens.ts';
import { findConnectionOf } from './queries.ts';
import { fingerprint } from './settings.ts';
import { nameOf, oidcRedirectUri } from './sign-in.ts';
import type { Connection, ConnectionSettings, GroupRole } from './types.ts';

export interface ShownSettings {
  readonly kind: 'saml' | 'oidc';
  /** The entity ID or the issuer. */
  readonly address: string;
  readonly host: string;
  readonly metadata_url: string | null;
  readonly client_id: string | null;
}

export interface ShownConnection {
  readonly id: string;
  readonly settings: ShownSettings | null;
  readonly draft: ShownSettings | null;
  /** Whether the draft has been tested since it was changed. */
  readonly is_tested: boolean;
  readonly is_active: boolean;
  readonly is_disabled: boolean;
  readonly is_enforced: boolean;
  readonly adds_members: boolean;
  readonly default_role: string;
  readonly group_roles: readonly GroupRole[];
}

/** The URLs that the administrator copies to the identity provider. */
export interface OwnUrls {
  readonly entity_id: string;
  readonly acs_url: string;
  readonly metadata_url: string;
  /** Null until the connection exists, because its ID is part of the URL. */
  readonly redirect_url: string | null;
  readonly scim_url: string;
}

export interface SsoOverview {
  readonly domains: readonly ShownDomain[];
  readonly connection: ShownConnection | null;
  readonly urls: OwnUrls;
  readonly scim_tokens: readonly ScimTokenRow[];
  readonly scim_users: number;
  readonly scim_groups: readonly string[];
}

const showSettings = (settings: ConnectionSettings | null): ShownSettings | null =>
  settings && {
    kind: settings.kind,
    address: settings.kind === 'saml' ? settings.entityId : settings.issuer,
    host: nameOf(settings),
    metadata_url: settings.kind === 'saml' ? settings.metadataUrl : null,
    client_id: settings.kind === 'oidc' ? settings.clientId : null,
  };

const showConnection = (connection: Connection | undefined): ShownConnection | null =>
  connection === undefined
    ? null
    : {
        id: connection.id,
        settings: showSettings(connection.settings),
        draft: showSettings(connection.draft),
        is_tested: connection.draft !== null && connection.tested === fingerprint(connection.draft),
        is_active: connection.isActive,
        is_disabled: connection.isDisabled,
        is_enforced: connection.isEnforced,
        adds_members: connection.addsMembers,
        default_role: connection.defaultRole,
        group_roles: connection.groupRoles,
      };

export async function readOverview(ctx: AuthContext, organizationId: string): Promise<SsoOverview> {
  const connection = await findConnectionOf(ctx.pool, organizationId);
  const { entityId, acsUrl } = serviceProvider(ctx);
  const groups = await ctx.pool.query<{ name: string }>(sql`
    select display_name as name from _plinth.scim_groups where organization_id = ${organizationId}
    order by lower(display_name) limit 200`);
  const [count] = await ctx.pool.query<{ count: number }>(sql`
    select count(*)::int from _plinth.scim_users
    where organization_id = ${organizationId} and removed_at is null and active`);
  return {
    domains: (await listDomains(ctx.pool, organizationId)).map(showDomain),
    connection: showConnection(connection),
    urls: {
      entity_id: entityId,
      acs_url: acsUrl,
      metadata_url: entityId,
      redirect_url: connection === undefined ? null : oidcRedirectUri(ctx, connection.id),
      scim_url: scimUrl(ctx, organizationId),
    },
    scim_tokens: await listScimTokens(ctx, organizationId),
    scim_users: count?.count ?? 0,
    scim_groups: groups.map(({ name }) => name),
  };
}

/** The base URL of SCIM for an organization. */
export const scimUrl = ({ settings }: AuthContext, organizationId: string): string =>
  `${settings.accountUrl().replace(/\/account$/, '')}/scim/v2/${organizationId}`;
