/** What the server tells a page in its HTML (`src/account/fill.ts` writes it). */
import { useSyncExternalStore } from 'react';
import { languageCodes } from '../locales/languages.ts';

export interface PageConfig {
  readonly brand: {
    readonly name: string;
    readonly logo: string;
    /** Below the heading of sign-in and sign-up; empty for none. */
    readonly welcome: string;
    readonly supportUrl?: string;
    readonly termsUrl?: string;
    readonly privacyUrl?: string;
  };
  readonly offers: {
    readonly password: boolean;
    readonly code: boolean;
    readonly signUp: boolean;
    readonly guest: boolean;
  };
  /** The publishable key. */
  readonly key: string;
  readonly password: { readonly minLength: number; readonly requirements: string };
  readonly codeLength: number;
  readonly resendAfter: number;
  readonly totp: boolean;
  readonly currentPassword: boolean;
  readonly apps: boolean;
  /** Of the answer that brought the page. */
  readonly requestId: string;
  /** What the project offers, of `web/locales/languages.ts`. */
  readonly languages: readonly string[];
}

/** While a page is prerendered: everything is offered (a style sheet hides what is not), the brand is a placeholder. */
const prerendered: PageConfig = {
  brand: { name: '%PLINTH_NAME%', logo: '/account/logo', welcome: '%PLINTH_WELCOME%' },
  offers: { password: true, code: true, signUp: true, guest: true },
  key: '',
  password: { minLength: 6, requirements: '' },
  codeLength: 6,
  resendAfter: 60,
  totp: false,
  currentPassword: false,
  apps: false,
  requestId: '%PLINTH_REQUEST_ID%',
  languages: languageCodes,
};

function read(): PageConfig {
  const element = typeof document === 'undefined' ? null : document.getElementById('plinth-config');
  return element === null ? prerendered : (JSON.parse(element.textContent) as PageConfig);
}

export const pageConfig = read();
/** Hydration must meet the markup as it was prerendered, except for what the server has filled in. */
const hydrated: PageConfig = {
  ...prerendered,
  brand: { name: pageConfig.brand.name, logo: pageConfig.brand.logo, welcome: pageConfig.brand.welcome },
  requestId: pageConfig.requestId,
};

const never = () => () => {};

export function usePageConfig(): PageConfig {
  return useSyncExternalStore(
    never,
    () => pageConfig,
    () => hydrated,
  );
}
