/**
 * Decides which account a provider's user belongs to, as GoTrue 2.196 does. Accounts and identities link within a
 * *linking domain*: all providers share one, and each SSO connection has a separate one.
 */
import type { ProviderEmail } from './external-profile.ts';

export const defaultDomain = 'default';

export function linkingDomain(provider: string): string {
  return provider.startsWith('sso:') ? provider : defaultDomain;
}

/**
 * The addresses that accounts are matched by: those the provider has verified, regardless of the project's confirmation
 * setting.
 */
export function verifiedEmails(emails: readonly ProviderEmail[]): string[] {
  return emails
    .filter(({ email, verified }) => email !== '' && verified)
    .map(({ email }) => email.toLowerCase());
}

/** The address that a new account gets: the primary one, in lower case. */
export function candidateEmail(emails: readonly ProviderEmail[]): { email: string; verified: boolean } {
  const primary = emails.findLast((each) => each.primary);
  return { email: primary?.email.toLowerCase() ?? '', verified: primary?.verified ?? false };
}

export type LinkingDecision =
  | { readonly kind: 'create' }
  | { readonly kind: 'link'; readonly userId: string }
  | { readonly kind: 'ambiguous' };

/**
 * Decides which account gets a new identity with verified addresses.
 *
 * @param identities the identities with one of the addresses, in all domains
 * @param userIds the accounts of the default domain with one of the addresses
 */
export function decideLinking(
  provider: string,
  identities: readonly { readonly provider: string; readonly user_id: string }[],
  userIds: readonly string[],
): LinkingDecision {
  const domain = linkingDomain(provider);
  const linked = identities.filter((each) => linkingDomain(each.provider) === domain);
  const fallback = domain === defaultDomain ? userIds : [];
  const owners = new Set(linked.length > 0 ? linked.map((each) => each.user_id) : fallback);
  const [userId] = owners;
  if (userId === undefined) return { kind: 'create' };
  return owners.size === 1 ? { kind: 'link', userId } : { kind: 'ambiguous' };
}
