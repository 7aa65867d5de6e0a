/**
 * Selects the next step of the sign-in after the user has entered an address. The choice depends on the project's
 * settings, the domain and this browser's earlier sign-ins. It depends on whether an account exists only if the project
 * reveals accounts.
 */
import type { BrowserMemory } from './browser-memory.ts';
import { wayOf } from './browser-memory.ts';
import type { Offers } from './offers.ts';

export type NextStep =
  /** If `isEnforced` is set, SSO is the only sign-in method. */
  | { readonly step: 'sso'; readonly isEnforced: boolean }
  | { readonly step: 'password' | 'code' }
  /** The project reveals accounts, and no account has the address. */
  | { readonly step: 'sign-up' }
  /** The domain has no SSO connection, and the project offers no other sign-in method for addresses. */
  | { readonly step: 'none' };

export type Identifier = { readonly email: string } | { readonly phone: string };

/**
 * Parses the text of the field as an email address or a phone number. Returns undefined if the text is neither of them,
 * or if it is a phone number but the project doesn't offer phone sign-in.
 */
export function parseIdentifier(
  typed: string,
  offers: Pick<Offers, 'phone' | 'password'>,
): Identifier | undefined {
  const text = typed.trim();
  if (/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text)) return { email: text };
  const digits = text.replace(/[\s().+/-]/g, '').replace(/^00/, '');
  return offers.phone && /^[1-9][0-9]{6,14}$/.test(digits) ? { phone: digits } : undefined;
}

export const domainIn = ({ email }: { readonly email: string }): string =>
  email.slice(email.lastIndexOf('@') + 1).toLowerCase();

export function nextStepFor(
  identifier: Identifier,
  facts: {
    readonly offers: Pick<Offers, 'password'>;
    readonly sso: { readonly isOffered: boolean; readonly isEnforced: boolean };
    readonly memory: BrowserMemory;
    readonly isNew: boolean;
  },
): NextStep {
  const { offers, sso, memory, isNew } = facts;
  // Users who enter a phone number can sign in only with a code.
  if ('phone' in identifier) return { step: 'code' };
  if (sso.isEnforced) return { step: 'sso', isEnforced: true };
  const way = wayOf(memory, identifier.email);
  const isOwn = way === 'password' || way === 'code';
  if (sso.isOffered && !isOwn) return { step: 'sso', isEnforced: false };
  if (!offers.password) return { step: 'none' };
  if (isNew) return { step: 'sign-up' };
  return { step: way === 'code' ? 'code' : 'password' };
}
