/**
 * Enforces single sign-on for email domains ([auth.saml] enforced_domains). The checks depend only on the domain, so
 * they don't reveal which accounts exist.
 */
import type { Queryable } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { findDomain } from '../queries/sso.ts';
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
  const domain = domainOf(email ?? '');
  if (!mayEnforce(ctx.settings, domain)) return;
  if ((await ssoPolicyOf(ctx, db, domain)).isEnforced) throw authError('sso_required');
}

export const domainOf = (email: string): string =>
  email.includes('@') ? email.slice(email.lastIndexOf('@') + 1).toLowerCase() : '';

/** Whether the settings enforce SSO for the domain. They have an effect only if the domain has a connection. */
function mayEnforce({ saml }: Settings, domain: string): boolean {
  const { enabled, enforced_domains: domains } = saml;
  return enabled && domain !== '' && domains.some((one) => one === '*' || one.toLowerCase() === domain);
}
