/**
 * Enforces single sign-on for the email domains in `enforced_domains` of `[auth.saml]`. The checks before a sign-in
 * depend only on the domain, so they don't reveal whether an account exists.
 */
import type { Queryable } from '../../../platform/database/types.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { listProviders } from '../providers/queries.ts';
import type { Settings } from '../settings.ts';
import { findDomain } from './queries.ts';

export interface SsoPolicy {
  /** Whether users with an address in this domain can sign in with SSO. */
  readonly isOffered: boolean;
  /** Whether users with an address in this domain can sign in only with SSO. */
  readonly isEnforced: boolean;
}

const none: SsoPolicy = { isOffered: false, isEnforced: false };

/** Returns the SSO policy for an email domain. SSO isn't offered for domains that don't have a connection. */
export async function ssoPolicyOf(ctx: AuthContext, db: Queryable, domain: string): Promise<SsoPolicy> {
  if (!ctx.settings.saml.enabled || domain === '') return none;
  const found = await findDomain(db, domain);
  if (found === undefined) return none;
  // SSO remains enforced if the connection is disabled. Otherwise, an operator who disables the connection to a
  // compromised identity provider would enable sign-in with passwords.
  return { isOffered: !found.isDisabled, isEnforced: mayEnforce(ctx.settings, domain) };
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
}

/** Whether these authentication methods of a session or sign-in include an SSO connection. */
export const includesSso = (methods: readonly string[]): boolean => methods.includes('sso/saml');

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
  { usedSso, provider }: SsoEvidence,
): Promise<void> {
  const connection = await enforcedConnection(ctx, db, email);
  if (connection === undefined) return;
  const owner = `sso:${connection}`;
  const isOwner = provider === undefined || provider === owner;
  if (usedSso && isOwner && (await listProviders(db, id)).includes(owner)) return;
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
  if (connection !== undefined && connection !== providerId) throw authError('sso_required');
}

/** Returns the ID of the connection that users with this address must use, or undefined if SSO isn't required. */
async function enforcedConnection(
  ctx: AuthContext,
  db: Queryable,
  email: string | null,
): Promise<string | undefined> {
  const domain = domainOf(email ?? '');
  return mayEnforce(ctx.settings, domain) ? (await findDomain(db, domain))?.providerId : undefined;
}

export const domainOf = (email: string): string =>
  email.includes('@') ? email.slice(email.lastIndexOf('@') + 1).toLowerCase() : '';

/**
 * Whether the settings enforce SSO for the domain. The settings have no effect unless the domain has an SSO connection.
 */
function mayEnforce({ saml }: Settings, domain: string): boolean {
  const { enabled, enforced_domains: domains } = saml;
  return enabled && domain !== '' && domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
