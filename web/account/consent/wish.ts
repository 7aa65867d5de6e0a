/** Describes an app's request in words. Has no side effects. */
import { hostOf } from '../flow.ts';
import { t } from '../text.ts';

export interface Wish {
  readonly app: {
    /** Empty if the app has no name. */
    readonly name: string;
    readonly uri?: string;
    readonly logo?: string;
    /** Whether an administrator registered the app. */
    readonly vetted: boolean;
  };
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
}

/** The maximum length of a displayed name. Characters that reverse the text direction are removed. */
const longestName = 60;

export function appName(name: string): string {
  const letters = Array.from(name.replace(/[\p{Cc}\p{Cf}]/gu, '').trim());
  if (letters.length === 0) return t('consent.nameless');
  return letters.length <= longestName ? letters.join('') : `${letters.slice(0, longestName - 1).join('')}…`;
}

/** Returns the browser's next destination: a host, or the scheme of an app on this device. */
export function placeOf(redirectUri: string): string {
  const isWeb = /^https?:/i.test(redirectUri);
  const host = isWeb ? hostOf(redirectUri) : undefined;
  return host ?? t('consent.place-device', { scheme: redirectUri.split(':', 1)[0] });
}

/**
 * Lists what the app gets: its scopes, between the rights that its tokens always have. A token acts with all of the
 * user's rights regardless of its scopes, which only determine what the app learns about the user.
 */
export function rightsOf(scopes: readonly string[], product: string): string[] {
  return [
    t('consent.scope-act', { name: product }),
    ...(scopes.includes('openid') ? [t('consent.scope-openid')] : []),
    ...(scopes.includes('email') ? [t('consent.scope-email')] : []),
    ...(scopes.includes('profile') ? [t('consent.scope-profile')] : []),
    ...(scopes.includes('phone') ? [t('consent.scope-phone')] : []),
    t('consent.scope-stay'),
  ];
}
