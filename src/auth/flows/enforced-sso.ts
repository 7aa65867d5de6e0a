/**
 * Enforces single sign-on for email domains ([auth.saml] enforced_domains). The checks before a sign-in depend only on
 * the domain, so they don't reveal which accounts exist.
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
  /** Whether users with this domain can't sign in in any other way. */
  readonly isEnforced: boolean;
}

const none: SsoPolicy = { isOffered: false, isEnforced: false };

/** Returns how SSO applies to a domain. */
export async function ssoPolicyOf(ctx: AuthContext, db: Queryable, domain: string): Promise<SsoPolicy> {
  if (!ctx.settings.saml.enabled || domain === '') return none;
  const found = await findDomain(db, domain);
  if (found === undefined) return none;
  // A disabled connection stays enforced. Otherwise, disabling a compromised identity provider would allow passwords.
  return { isOffered: !found.isDisabled, isEnforced: mayEnforce(ctx.settings, domain) };
}

/** Throws if users with this address must sign in with SSO. @throws {AuthError} sso_required */
export async function requireNoSso(ctx: AuthContext, db: Queryable, email: string | null): Promise<void> {
  if ((await enforcedConnection(ctx, db, email)) !== undefined) throw authError('sso_required');
}

/** How a user authenticated for a session. */
export interface SsoEvidence {
  readonly usedSso: boolean;
  /** The provider of the identity that the request proved, if it proved one. */
  readonly provider?: string | undefined;
}

/** Whether a session or sign-in with these authentication methods started at an SSO connection. */
export const includesSso = (methods: readonly string[]): boolean => methods.includes('sso/saml');

/**
 * Throws if the user's domain requires SSO, unless the user authenticated at the connection that owns the domain. An
 * account that another connection created never qualifies, because that connection can assert any address.
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

/** Throws if the address's domain requires SSO at another connection. @throws {AuthError} sso_required */
export async function requireOwnDomain(
  ctx: AuthContext,
  db: Queryable,
  email: string,
  providerId: string,
): Promise<void> {
  const connection = await enforcedConnection(ctx, db, email);
  if (connection !== undefined && connection !== providerId) throw authError('sso_required');
}

/** Returns the ID of the connection that users with this address must use. Returns undefined if they needn't use SSO. */
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

/** Whether the settings enforce SSO for the domain. They have an effect only if the domain has a connection. */
function mayEnforce({ saml }: Settings, domain: string): boolean {
  const { enabled, enforced_domains: domains } = saml;
  return enabled && domain !== '' && domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
