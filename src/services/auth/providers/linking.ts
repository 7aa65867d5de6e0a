/**
 * Determines to which account a provider's user belongs, as in GoTrue 2.196. Accounts and identities are linked only
 * within a *linking domain*. All providers share one linking domain, and each SSO connection has its own linking
 * domain.
 */
import type { ProviderEmail } from './profile.ts';

export const defaultDomain = 'default';

export function linkingDomain(provider: string): string {
  return provider.startsWith('sso:') ? provider : defaultDomain;
}

/**
 * Returns the addresses that the provider has verified, regardless of the project's confirmation setting. These
 * addresses are used to find the user's account.
 */
export function verifiedEmails(emails: readonly ProviderEmail[]): string[] {
  return emails
    .filter(({ email, verified }) => email !== '' && verified)
    .map(({ email }) => email.toLowerCase());
}

/** Returns, in lowercase, the primary address from the provider. This address becomes the address of a new account. */
export function candidateEmail(emails: readonly ProviderEmail[]): { email: string; verified: boolean } {
  const primary = emails.findLast((each) => each.primary);
  return { email: primary?.email.toLowerCase() ?? '', verified: primary?.verified ?? false };
}

export type LinkingDecision =
  | { readonly kind: 'create' }
  | { readonly kind: 'link'; readonly userId: string }
  | { readonly kind: 'ambiguous' };

/**
 * Determines to which account a new identity with verified addresses is linked.
 *
 * @param identities the identities in all domains that have one of the addresses
 * @param userIds the accounts in the default domain that have one of the addresses
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
