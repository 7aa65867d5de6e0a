/**
 * Enforces single sign-on for email domains ([auth.saml] enforced_domains). Checks before a sign-in depend only on the
 * domain, so they don't reveal which accounts exist.
 */
import type { Queryable } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { listProviders } from '../queries/identities.ts';
import { findDomain } from '../queries/sso.ts';
import type { User } from '../rows.ts';
import type { Settings } from '../settings.ts';

export interface SsoPolicy {
  /** Whether users with this domain can sign in with SSO. */
  readonly isOffered: boolean;
  /** Whether SSO is the only sign-in method for users with this domain. */
  readonly isEnforced: boolean;
}

const none: SsoPolicy = { isOffered: false, isEnforced: false };

/** Returns an email domain's SSO policy. SSO isn't offered to domains without a connection. */
export async function ssoPolicyOf(ctx: AuthContext, db: Queryable, domain: string): Promise<SsoPolicy> {
  if (!ctx.settings.saml.enabled || domain === '') return none;
  const found = await findDomain(db, domain);
  if (found === undefined) return none;
  // SSO remains enforced if the connection is disabled. Otherwise, an operator who disables a compromised identity
  // provider would enable passwords.
  return { isOffered: !found.isDisabled, isEnforced: mayEnforce(ctx.settings, domain) };
}

/** Rejects addresses whose users must sign in with SSO. @throws {AuthError} sso_required */
export async function requireNoSso(ctx: AuthContext, db: Queryable, email: string | null): Promise<void> {
  if ((await enforcedConnection(ctx, db, email)) !== undefined) throw authError('sso_required');
}

/** How a session's user authenticated. */
export interface SsoEvidence {
  readonly usedSso: boolean;
  /** The provider of the identity that the user proved with the request, if any. */
  readonly provider?: string | undefined;
}

/** Whether a session or sign-in with these authentication methods was authenticated by an SSO connection. */
export const includesSso = (methods: readonly string[]): boolean => methods.includes('sso/saml');

/**
 * Requires SSO if the user's domain enforces it. Only the connection that owns the domain is accepted. An account
 * created by another connection never qualifies, because that connection can assert any address.
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

/** Rejects an address whose domain requires SSO through another connection. @throws {AuthError} sso_required */
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

/** Whether the settings enforce SSO for the domain. This has no effect unless the domain has a connection. */
function mayEnforce({ saml }: Settings, domain: string): boolean {
  const { enabled, enforced_domains: domains } = saml;
  return enabled && domain !== '' && domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
