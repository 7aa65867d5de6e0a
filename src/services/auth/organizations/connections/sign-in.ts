/**
 * Signs users in through the connection of an organization. An identity provider can assert any address, so a sign-in
 * reaches only accounts whose address belongs to a domain that the organization has verified (decision 140).
 */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Transaction } from '../../../../platform/database/types.ts';
import type { JsonObject } from '../../common/json.ts';
import type { User } from '../../common/rows.ts';
import { fromMs } from '../../common/times.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import type { OrganizationRules } from '../../providers/accounts.ts';
import { textAt } from '../../providers/catalog/spec.ts';
import type { OAuth2Client } from '../../providers/oauth-client.ts';
import type { ExternalProfile } from '../../providers/profile.ts';
import { domainOf } from '../../sso/enforced.ts';
import type { SsoProvider } from '../../sso/queries.ts';
import type { AttributeMapping } from '../../sso/saml/assertion.ts';
import { hasOrganizationSso, ownerRole } from '../availability.ts';
import { recordOrganizationEvent } from '../history.ts';
import { addMember, changeRole, findOrganization, listRoles } from '../members.ts';
import { findConnectionById, findConnectionsByEntityId, refreshSettings } from './queries.ts';
import type { Connection, ConnectionSettings, GroupRole, OidcSettings, SamlSettings } from './types.ts';

const prefix = 'sso:';

/** Returns an active connection. A disabled connection is returned too. */
export async function findActive(ctx: AuthContext, id: string): Promise<Connection | undefined> {
  if (!hasOrganizationSso(ctx) || !isUuid(id)) return undefined;
  const found = await findConnectionById(ctx.pool, id);
  return found?.isActive === true && found.settings !== null ? found : undefined;
}

/** The attributes of common identity providers, as the claims that this server stores, and the groups. */
const attributeMapping: AttributeMapping = {
  keys: {
    given_name: {
      names: [
        'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
        'urn:oid:2.5.4.42',
        'givenName',
        'given_name',
        'firstName',
        'first_name',
      ],
    },
    family_name: {
      names: [
        'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
        'urn:oid:2.5.4.4',
        'sn',
        'family_name',
        'lastName',
        'last_name',
        'surname',
      ],
    },
    full_name: {
      names: [
        'http://schemas.microsoft.com/identity/claims/displayname',
        'urn:oid:2.16.840.1.113730.3.1.241',
        'displayName',
        'full_name',
      ],
    },
    groups: {
      names: [
        'groups',
        'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
        'http://schemas.xmlsoap.org/claims/Group',
        'memberOf',
      ],
      array: true,
    },
  },
};

/** Returns a SAML connection in the form of a connection of the whole project. */
export function samlProvider(
  ctx: AuthContext,
  id: string,
  settings: SamlSettings,
  connection?: Connection,
): SsoProvider {
  return {
    id,
    resource_id: null,
    disabled: connection?.isDisabled ?? false,
    created_at: null,
    updated_at: null,
    domains: [],
    entity_id: settings.entityId,
    metadata_xml: settings.metadataXml,
    metadata_url: settings.metadataUrl,
    attribute_mapping: attributeMapping,
    name_id_format: null,
    saml_updated_at: fromMs(settings.readAtMs),
    ...(connection === undefined ? {} : { connection }),
    async saveMetadata(metadataXml, readAtMs) {
      if (connection !== undefined)
        await refreshSettings(ctx.pool, id, { ...settings, metadataXml, readAtMs });
    },
  };
}

/** Returns the active SAML connection with this ID. */
export async function findSamlProvider(ctx: AuthContext, id: string): Promise<SsoProvider | undefined> {
  const found = await findActive(ctx, id);
  return found?.settings?.kind === 'saml' ? samlProvider(ctx, id, found.settings, found) : undefined;
}

/** Returns the only active connection to an identity provider, or undefined if several organizations use it. */
export async function findSamlProviderByEntityId(
  ctx: AuthContext,
  entityId: string,
): Promise<SsoProvider | undefined> {
  if (!hasOrganizationSso(ctx) || entityId === '') return undefined;
  const [found, ...others] = await findConnectionsByEntityId(ctx.pool, entityId);
  if (found?.settings?.kind !== 'saml' || others.length > 0) return undefined;
  return samlProvider(ctx, found.id, found.settings, found);
}

/**
 * The URL to which the identity provider of a connection redirects browsers. Each connection has a separate URL, so that
 * a provider can't receive the codes of another organization's provider (mix-up, RFC 9700 section 4.4).
 */
export const oidcRedirectUri = ({ settings }: AuthContext, connectionId: string): string =>
  `${settings.externalUrl().replace(/\/+$/, '')}/sso/oidc/${connectionId}/callback`;

export async function oidcClient(
  ctx: AuthContext,
  id: string,
  settings: OidcSettings,
): Promise<OAuth2Client> {
  const location = { issuer: settings.issuer, reach: 'public' } as const;
  const discovery = await ctx.oidc.discover(location);
  return {
    kind: 'oauth2',
    provider: `${prefix}${id}`,
    emailOptional: false,
    clientId: settings.clientId,
    secret: settings.clientSecret,
    redirectUri: oidcRedirectUri(ctx, id),
    authorizeUrl: discovery.authorizationEndpoint,
    tokenUrl: discovery.tokenEndpoint,
    scopes: ['openid', 'email', 'profile'],
    params: {},
    passesParams: false,
    pkce: true,
    clientAuth: 'basic',
    reach: 'public',
    advertisedIssuer: discovery.namesItself ? discovery.issuer : undefined,
    async readProfile(token) {
      if (token.idToken === undefined) throw new Error('the provider sent no ID token');
      const claims = await ctx.oidc.verify(token.idToken, {
        location,
        audience: [settings.clientId],
        accessToken: token.accessToken,
      });
      const profile = profileOf(claims);
      const { userinfoEndpoint } = discovery;
      if (profile.emails.length > 0 || userinfoEndpoint === '') return profile;
      // Okta sends the address only here.
      const read = await ctx.outgoing.send({
        url: userinfoEndpoint,
        reach: 'public',
        headers: { authorization: `Bearer ${token.accessToken}`, accept: 'application/json' },
      });
      const more: unknown = read.status === 200 ? JSON.parse(read.text) : {};
      return textAt(more, 'sub') === profile.claims.sub
        ? profileOf({ ...(more as JsonObject), ...claims })
        : profile;
    },
  };
}

/** Reads the profile from an ID token. Entra ID sends the address as `preferred_username` if the user has no mailbox. */
function profileOf(claims: Readonly<Record<string, unknown>>): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const preferred = textAt(claims, 'preferred_username');
  const email = textAt(claims, 'email') || (preferred.includes('@') ? preferred : '');
  const groups = Array.isArray(claims.groups) ? claims.groups.filter((one) => typeof one === 'string') : [];
  const named = ['name', 'given_name', 'family_name', 'picture', 'locale'].flatMap((name) => {
    const value = textAt(claims, name);
    return value === '' ? [] : [[name, value] as const];
  });
  const isVerified = claims.email_verified !== false && claims.email_verified !== 'false';
  return {
    emails: email === '' ? [] : [{ email, verified: isVerified, primary: true }],
    claims: {
      ...Object.fromEntries(named),
      iss: textAt(claims, 'iss'),
      sub,
      ...(groups.length === 0 ? {} : { custom_claims: { groups } }),
    },
  };
}

/** Returns the client for a flow of a connection. @throws {AuthError} sso_provider_not_found, sso_provider_disabled */
export async function clientOfFlow(ctx: AuthContext, provider: string): Promise<OAuth2Client> {
  const { id, settings, isDisabled } = await requireOidc(ctx, provider);
  if (isDisabled) throw authError('sso_provider_disabled');
  return oidcClient(ctx, id, settings);
}

async function requireOidc(
  ctx: AuthContext,
  provider: string,
): Promise<Connection & { readonly settings: OidcSettings }> {
  const found = await findActive(ctx, provider.slice(prefix.length));
  if (found?.settings?.kind !== 'oidc') throw authError('sso_provider_not_found');
  return { ...found, settings: found.settings };
}

export interface Admitted {
  readonly profile: ExternalProfile;
  readonly rules: OrganizationRules;
  /** Adds the user to the organization after the sign-in. */
  join(user: Pick<User, 'id'>): Promise<void>;
}

/** Runs {@link admit} for a flow of a connection. */
export async function admitFlow(
  ctx: AuthContext,
  provider: string,
  profile: ExternalProfile,
): Promise<Admitted> {
  return admit(ctx, await requireOidc(ctx, provider), profile);
}

/** Checks what the identity provider has asserted. @throws {AuthError} sso_not_allowed */
export async function admit(
  ctx: AuthContext,
  connection: Connection,
  { emails, claims: asserted }: ExternalProfile,
): Promise<Admitted> {
  const { organizationId } = connection;
  const [sent] = emails;
  const email = sent?.email.toLowerCase() ?? '';
  if (sent?.verified !== true || !(await isInDomains(ctx.pool, organizationId, email)))
    throw authError('sso_not_allowed');
  if ((await findOrganization(ctx, organizationId)) === undefined) throw authError('sso_not_allowed');
  const { custom_claims: custom, ...claims } = asserted;
  return {
    profile: { emails: [{ ...sent, verified: true, primary: true }], claims },
    rules: {
      findAccount: (tx) => findAccount(ctx, tx, organizationId, email),
      checkAccount: (tx, user) => checkAccount(tx, organizationId, user),
    },
    join: ({ id }) => joinAfter(ctx, connection, id, groupsIn(custom)),
  };
}

/** Whether the organization has verified the domain of the address. */
export async function isInDomains(
  db: Pick<Transaction, 'query'>,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const domain = domainOf(email);
  if (domain === '') return false;
  const rows = await db.query(sql`
    select from _plinth.organization_domains
    where organization_id = ${organizationId} and domain = ${domain} and verified_at is not null`);
  return rows.length > 0;
}

/** Returns the existing account to which the sign-in belongs. */
async function findAccount(
  ctx: AuthContext,
  tx: Transaction,
  organizationId: string,
  email: string,
): Promise<string | undefined> {
  const [managed] = await tx.query<{ id: string }>(sql`
    select u.id::text from _plinth.scim_users s join auth.users u on u.id = s.user_id
    where s.organization_id = ${organizationId} and (lower(u.email) = ${email} or lower(s.user_name) = ${email})
    order by s.removed_at is null desc limit 1`);
  return managed?.id ?? findConfirmedAccount(ctx, tx, email);
}

/** Returns the account with this address, if its owner has proved to receive emails at the address. */
export async function findConfirmedAccount(
  ctx: AuthContext,
  tx: Pick<Transaction, 'query'>,
  email: string,
): Promise<string | undefined> {
  if (ctx.settings.email.autoconfirm) return undefined;
  const [user] = await tx.query<{ id: string }>(sql`
    select id::text from auth.users
    where email = ${email} and not is_sso_user and not is_anonymous and email_confirmed_at is not null
      and deleted_at is null`);
  return user?.id;
}

/** Checks the account that the sign-in reaches. @throws {AuthError} sso_not_allowed */
async function checkAccount(
  tx: Transaction,
  organizationId: string,
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  if (!(await isInDomains(tx, organizationId, email ?? ''))) throw authError('sso_not_allowed');
  // SCIM changes this row before it ends the sessions. The lock makes it wait for the session of this sign-in.
  const [managed] = await tx.query<{ active: boolean; removed: boolean }>(sql`
    select active, removed_at is not null as removed from _plinth.scim_users
    where organization_id = ${organizationId} and user_id = ${id} for share`);
  if (managed !== undefined && (!managed.active || managed.removed)) throw authError('sso_not_allowed');
}

const groupsIn = (custom: unknown): readonly string[] => {
  const groups = (custom as JsonObject | undefined)?.groups;
  return Array.isArray(groups) ? groups.filter((one): one is string => typeof one === 'string') : [];
};

/** Returns the role of the first rule whose group the user is in. */
export const roleOfGroups = (rules: readonly GroupRole[], groups: readonly string[]): string | undefined => {
  const names = new Set(groups.map((group) => group.toLowerCase()));
  return rules.find(({ group }) => names.has(group.toLowerCase()))?.role;
};

/** Returns the first role that exists and may be granted without a person's decision. */
export async function usableRole(
  ctx: AuthContext,
  organizationId: string,
  keys: readonly (string | undefined)[],
): Promise<string | undefined> {
  const roles = await listRoles(ctx, organizationId);
  return keys.find((key) => key !== undefined && key !== ownerRole && roles.some((role) => role.key === key));
}

async function joinAfter(
  ctx: AuthContext,
  connection: Connection,
  userId: string,
  groups: readonly string[],
): Promise<void> {
  const { organizationId, addsMembers, defaultRole, groupRoles } = connection;
  const managed = await ctx.pool.query(sql`
    select from _plinth.scim_users where organization_id = ${organizationId} and user_id = ${userId}`);
  // SCIM decides about the users whom it manages.
  if (managed.length > 0) return;
  const mapped = roleOfGroups(groupRoles, groups);
  const role = await usableRole(ctx, organizationId, [mapped, defaultRole]);
  if (role === undefined) return;
  const member = { organizationId, userId, role };
  const details = { role };
  if (addsMembers && (await addMember(ctx, member))) {
    const event = { organizationId, kind: 'member_added', actor: 'server', userId, details } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  } else if (mapped === role && (await changeRole(ctx, member))) {
    const event = { organizationId, kind: 'role_changed', actor: 'server', userId, details } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  }
}

export const nameOf = (settings: ConnectionSettings): string => {
  const address = settings.kind === 'saml' ? settings.entityId : settings.issuer;
  return URL.canParse(address) ? new URL(address).host || address : address;
};
