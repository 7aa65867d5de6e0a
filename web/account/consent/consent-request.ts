/** Describes in words what an app requests from the user. */
import { hostOf } from '../flow.ts';
import { t } from '../text.ts';

export interface ConsentRequest {
  readonly app: {
    /** Empty if the app didn't specify a name. */
    readonly name: string;
    readonly uri?: string;
    readonly logo?: string;
    /** Whether an administrator has registered the app. */
    readonly vetted: boolean;
  };
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
}

/** The maximum length of a displayed name. Characters that reverse the text direction are removed. */
const maxNameLength = 60;

export function appName(name: string): string {
  const letters = Array.from(name.replace(/[\p{Cc}\p{Cf}]/gu, '').trim());
  if (letters.length === 0) return t('consent.nameless');
  return letters.length <= maxNameLength
    ? letters.join('')
    : `${letters.slice(0, maxNameLength - 1).join('')}…`;
}

/** Returns the destination of the redirect: the host of a website, or the scheme of an app on this device. */
export function destinationOf(redirectUri: string): string {
  const isWeb = /^https?:/i.test(redirectUri);
  const host = isWeb ? hostOf(redirectUri) : undefined;
  return host ?? t('consent.place-device', { scheme: redirectUri.split(':', 1)[0] });
}

/**
 * Lists the app's permissions. The first and last entries are permissions that every token has. The entries between the
 * first and the last entry are the app's scopes. A token has all of the user's permissions regardless of its scopes,
 * which only determine the user data that the app receives.
 */
export function permissionsOf(scopes: readonly string[], product: string): string[] {
  return [
    t('consent.scope-act', { name: product }),
    ...(scopes.includes('openid') ? [t('consent.scope-openid')] : []),
    ...(scopes.includes('email') ? [t('consent.scope-email')] : []),
    ...(scopes.includes('profile') ? [t('consent.scope-profile')] : []),
    ...(scopes.includes('phone') ? [t('consent.scope-phone')] : []),
    t('consent.scope-stay'),
  ];
}
