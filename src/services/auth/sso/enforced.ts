/**
 * Enforces single sign-on for the email domains in `enforced_domains` of `[auth.saml]`, and for the verified domains of
 * organizations that require it (decision 140). The checks before a sign-in depend only on the domain, so they don't
 * reveal whether an account exists.
 */
import type { Queryable } from '../../../platform/database/types.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { listProviders } from '../providers/queries.ts';
import type { Settings } from '../settings.ts';
import { findDomain, type OwningConnection } from './queries.ts';

export interface SsoPolicy {
  /** Whether users with an address in this domain can sign in with SSO. */
  readonly isOffered: boolean;
  /** Whether users with an address in this domain can sign in only with SSO. */
  readonly isEnforced: boolean;
}

const none: SsoPolicy = { isOffered: false, isEnforced: false };

/** Returns the SSO policy for an email domain. SSO isn't offered for domains that don't have a connection. */
export async function ssoPolicyOf(ctx: AuthContext, db: Queryable, domain: string): Promise<SsoPolicy> {
  if (!hasConnections(ctx) || domain === '') return none;
  const found = await findDomain(ctx, db, domain);
  if (found === undefined) return none;
  // SSO remains enforced if the connection is disabled. Otherwise, an operator who disables the connection to a
  // compromised identity provider would enable sign-in with passwords.
  return { isOffered: !found.isDisabled, isEnforced: isRequired(ctx.settings, found, domain) };
}

/** Rejects addresses whose users must sign in with SSO. @throws {AuthError} sso_required */
export async function requireNoSso(ctx: AuthContext, db: Queryable, email: string | null): Promise<void> {
  if ((await enforcedConnection(ctx, db, email)) !== undefined) throw authError('sso_required');
}

/** Describes how the user of a session authenticated. */
export interface SsoEvidence {
  readonly usedSso: boolean;
  /** The provider of the identity that the user proved in the request. Undefined if the user proved no identity. */
  readonly provider?: string | undefined;
  /** The authentication methods of the session or sign-in. */
  readonly methods: readonly string[];
}

/** The authentication method of a connection of an organization that uses OpenID Connect. */
export const oidcMethod = 'sso/oidc';

/** Whether these authentication methods of a session or sign-in include an SSO connection. */
export const includesSso = (methods: readonly string[]): boolean =>
  methods.includes('sso/saml') || methods.includes(oidcMethod);

/**
 * Returns the organization that requires SSO for the address. Its owners can still use their password, which must be
 * checked before the caller decides (decision 140). Rejects addresses for which the project requires SSO.
 * @throws {AuthError} sso_required
 */
export async function organizationRequiringSso(
  ctx: AuthContext,
  db: Queryable,
  email: string,
): Promise<string | undefined> {
  const found = await enforcedConnection(ctx, db, email);
  if (found === undefined) return undefined;
  if (found.organizationId === undefined || isEnforcedByProject(ctx.settings, domainOf(email)))
    throw authError('sso_required');
  return found.organizationId;
}

/**
 * Requires SSO if it is enforced for the user's domain. Only a sign-in through the connection that owns the domain is
 * accepted. An account that was created through another connection is never accepted, because that connection can
 * assert any address.
 * @throws {AuthError} sso_required
 */
export async function requireSsoIfEnforced(
  ctx: AuthContext,
  db: Queryable,
  { id, email }: Pick<User, 'id' | 'email'>,
  { usedSso, provider, methods }: SsoEvidence,
): Promise<void> {
  const connection = await enforcedConnection(ctx, db, email);
  if (connection === undefined) return;
  const owner = `sso:${connection.providerId}`;
  const isOwner = provider === undefined || provider === owner;
  if (usedSso && isOwner && (await listProviders(db, id)).includes(owner)) return;
  const { organizationId } = connection;
  if (
    organizationId !== undefined &&
    methods.includes('password') &&
    !isEnforcedByProject(ctx.settings, domainOf(email ?? ''))
  ) {
    const { isOwnerOf } = await import('../organizations/connections/emergency.ts');
    if (await isOwnerOf(ctx, organizationId, id)) return;
  }
  throw authError('sso_required');
}

/** Rejects an address if users with its domain must use another SSO connection. @throws {AuthError} sso_required */
export async function requireOwnDomain(
  ctx: AuthContext,
  db: Queryable,
  email: string,
  providerId: string,
): Promise<void> {
  const connection = await enforcedConnection(ctx, db, email);
  if (connection !== undefined && connection.providerId !== providerId) throw authError('sso_required');
}

/** Returns the connection that users with this address must use, or undefined if SSO isn't required. */
async function enforcedConnection(
  ctx: AuthContext,
  db: Queryable,
  email: string | null,
): Promise<OwningConnection | undefined> {
  const domain = domainOf(email ?? '');
  if (domain === '' || !mayRequire(ctx, domain)) return undefined;
  const found = await findDomain(ctx, db, domain);
  return found !== undefined && isRequired(ctx.settings, found, domain) ? found : undefined;
}

export const domainOf = (email: string): string =>
  email.includes('@') ? email.slice(email.lastIndexOf('@') + 1).toLowerCase() : '';

const hasConnections = ({ settings, hasOwnTables }: AuthContext): boolean =>
  settings.saml.enabled || (settings.organizations.enabled && hasOwnTables);

/** Whether the domain's connection must be looked up. */
const mayRequire = (ctx: AuthContext, domain: string): boolean =>
  (ctx.settings.organizations.enabled && ctx.hasOwnTables) || isEnforcedByProject(ctx.settings, domain);

const isRequired = (settings: Settings, found: OwningConnection, domain: string): boolean =>
  found.isRequired === true || isEnforcedByProject(settings, domain);

/**
 * Whether the settings enforce SSO for the domain. The settings have no effect unless the domain has an SSO connection.
 */
function isEnforcedByProject({ saml }: Settings, domain: string): boolean {
  const { enabled, enforced_domains: domains } = saml;
  return enabled && domain !== '' && domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
