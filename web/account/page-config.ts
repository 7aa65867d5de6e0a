/** Reads the configuration that the server writes into a page's HTML (`src/pages/account/fill.ts`). */
import { useSyncExternalStore } from 'react';

export interface Provider {
  readonly id: string;
  readonly name: string;
  /** A decorative SVG image from Plinth's own server. */
  readonly mark: string;
}

export interface Language {
  readonly tag: string;
  /** The language's name in the language itself. */
  readonly name: string;
  readonly dir: string;
}

export interface PageConfig {
  readonly brand: {
    readonly name: string;
    readonly logo: string;
    /** The text below the heading of the sign-in and sign-up pages. May be empty. */
    readonly welcome: string;
    readonly supportUrl?: string;
    readonly termsUrl?: string;
    readonly privacyUrl?: string;
    /** The app's website. */
    readonly appUrl?: string;
    /** The URL in the app that starts a sign-in. */
    readonly signInUrl?: string;
  };
  readonly offers: {
    readonly password: boolean;
    readonly code: boolean;
    readonly phone: boolean;
    readonly signUp: boolean;
    readonly guest: boolean;
    readonly social: boolean;
    readonly passkey: boolean;
    readonly sso: boolean;
    readonly wallet: boolean;
  };
  /** Whether the project offers passkeys. A browser might still be unable to use passkeys at this address. */
  readonly passkeys: boolean;
  /** The chains whose wallets users can sign in with. */
  readonly wallets: readonly ('ethereum' | 'solana')[];
  /** The providers, beginning with the provider that was last used in this browser. */
  readonly providers: readonly Provider[];
  /** The number of providers that are visible without opening "Other ways to sign in". */
  readonly shown: number;
  /** Whether the remaining sign-in methods are inside "Other ways to sign in". */
  readonly isCollapsed: boolean;
  /**
   * The sign-in method that was last used in this browser: one of Plinth's own methods (`passkey`, `sso`, ...) or a
   * provider's ID.
   */
  readonly last?: string;
  /** Whether the page still shows the prerendered markup. */
  readonly isPrerendered: boolean;
  /** The email address or phone number of the sign-in that is in progress in this browser. May be empty. */
  readonly address: string;
  /** Origins at which browsers can create and use passkeys for this project. */
  readonly keyOrigins: readonly string[];
  /** Second factors that users can add. */
  readonly factors: { readonly totp: boolean; readonly phone: boolean; readonly webAuthn: boolean };
  readonly phoneFactorLength: number;
  readonly linking: boolean;
  readonly captcha?: { readonly provider: 'hcaptcha' | 'turnstile'; readonly siteKey: string };
  /** The publishable key. */
  readonly key: string;
  readonly password: { readonly minLength: number; readonly requirements: string };
  readonly codeLength: number;
  readonly resendAfter: number;
  /** Whether guests can move their data to an existing account. */
  readonly handOver: boolean;
  readonly requireMfa: boolean;
  readonly currentPassword: boolean;
  /** Whether an email change must be confirmed at both addresses. */
  readonly doubleConfirm: boolean;
  /** Whether users can delete their account. */
  readonly deletion: boolean;
  readonly apps: boolean;
  /** Whether users can create API keys. */
  readonly apiKeys: boolean;
  /** The project's organizations. `joinUrl` is the page that accepts invitations, which may be a path. */
  readonly organizations?: { readonly joinUrl: string };
  /** The limits after which sessions end. 0 disables a limit. */
  readonly sessions: {
    readonly idleSeconds: number;
    readonly timeboxSeconds: number;
    readonly isSingle: boolean;
  };
  /** The request ID of the response that contained the page. */
  readonly requestId: string;
  /**
   * The name and host of the OAuth client that redirected the user to the Account pages. Empty for the project's own
   * app.
   */
  readonly app: string;
  /** The project's languages. */
  readonly languages: readonly Language[];
}

/**
 * The configuration for prerendering. This configuration offers all features, because a style sheet hides disabled
 * features. Placeholders represent the brand.
 */
const prerendered: PageConfig = {
  brand: {
    name: '%PLINTH_NAME%',
    logo: '/account/logo',
    welcome: '',
    supportUrl: '%PLINTH_SUPPORT_URL%',
    termsUrl: '%PLINTH_TERMS_URL%',
    privacyUrl: '%PLINTH_PRIVACY_URL%',
  },
  offers: {
    password: true,
    code: true,
    phone: true,
    signUp: true,
    guest: true,
    social: true,
    passkey: true,
    sso: true,
    wallet: true,
  },
  passkeys: false,
  wallets: [],
  providers: [
    {
      id: '%PLINTH_PROVIDER_ID%',
      name: '%PLINTH_PROVIDER_NAME%',
      mark: '%PLINTH_PROVIDER_MARK%',
    },
  ],
  shown: 1,
  isCollapsed: true,
  last: '%PLINTH_PROVIDER_ID%',
  isPrerendered: true,
  address: '%PLINTH_EMAIL%',
  keyOrigins: [],
  factors: { totp: false, phone: false, webAuthn: false },
  phoneFactorLength: 6,
  linking: false,
  key: '',
  password: { minLength: 6, requirements: '' },
  codeLength: 6,
  resendAfter: 60,
  handOver: false,
  requireMfa: false,
  currentPassword: false,
  doubleConfirm: false,
  deletion: false,
  apps: false,
  apiKeys: false,
  sessions: { idleSeconds: 0, timeboxSeconds: 0, isSingle: false },
  requestId: '%PLINTH_REQUEST_ID%',
  app: '',
  languages: [{ tag: '%PLINTH_LANGUAGE_TAG%', name: '%PLINTH_LANGUAGE_NAME%', dir: '%PLINTH_LANGUAGE_DIR%' }],
};

function read(): PageConfig {
  const element = typeof document === 'undefined' ? null : document.getElementById('plinth-config');
  if (element === null) return prerendered;
  const config = JSON.parse(element.textContent) as Omit<
    PageConfig,
    'requestId' | 'address' | 'app' | 'isPrerendered'
  >;
  const { requestId = '', address = '', app = '' } = element.dataset;
  return offeredHere({ ...config, isPrerendered: false, requestId, address, app });
}

/**
 * Removes the sign-in methods that can't be used at this address. A passkey is valid only for its origin, and the
 * messages that wallets sign contain the origin. `offAt` in `src/pages/account/core/offers.ts` applies the same rule.
 */
function offeredHere(config: PageConfig): PageConfig {
  const { protocol, hostname, origin } = window.location;
  const { passkey, wallet } = config.offers;
  return {
    ...config,
    passkeys: passkey,
    offers: {
      ...config.offers,
      passkey: passkey && config.keyOrigins.includes(origin),
      wallet: wallet && (protocol === 'https:' || hostname === 'localhost'),
    },
  };
}

export const pageConfig = read();
/**
 * During hydration, the configuration must match the prerendered markup, except for values that the server has filled
 * in.
 */
const hydrated: PageConfig = {
  ...prerendered,
  brand: pageConfig.brand,
  requestId: pageConfig.requestId,
  app: pageConfig.app,
  providers: pageConfig.providers,
  shown: pageConfig.shown,
  isCollapsed: pageConfig.isCollapsed,
  // In the prerendered markup, the server marks the last-used method only if that method is a provider.
  last: pageConfig.providers.some(({ id }) => id === pageConfig.last) ? (pageConfig.last ?? '') : '',
  address: pageConfig.address,
  password: pageConfig.password,
  languages: pageConfig.languages,
};

const never = () => () => {};

export function usePageConfig(): PageConfig {
  return useSyncExternalStore(
    never,
    () => pageConfig,
    () => hydrated,
  );
}
