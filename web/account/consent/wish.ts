/** What an app asks for, in words; pure. */
import { hostOf } from '../flow.ts';
import { t } from '../text.ts';

export interface Wish {
  readonly app: {
    /** Empty when it has none. */
    readonly name: string;
    readonly uri?: string;
    readonly logo?: string;
    /** An administrator registered it. */
    readonly vetted: boolean;
  };
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
}

/** As much of a name as leaves room for what people should read; without marks that turn the text around. */
const longestName = 60;

export function appName(name: string): string {
  const letters = Array.from(name.replace(/[\p{Cc}\p{Cf}]/gu, '').trim());
  if (letters.length === 0) return t('consent.nameless');
  return letters.length <= longestName ? letters.join('') : `${letters.slice(0, longestName - 1).join('')}…`;
}

/** Where the browser goes afterwards: a host, or the scheme of an app on this device. */
export function placeOf(redirectUri: string): string {
  const isWeb = /^https?:/i.test(redirectUri);
  const host = isWeb ? hostOf(redirectUri) : undefined;
  return host ?? t('consent.place-device', { scheme: redirectUri.split(':', 1)[0] });
}

/**
 * What the app gets: first and last what its tokens always allow, between them its scopes. A token acts with all the
 * user's rights, whatever its scopes say; those tell only what the app learns of the user.
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
