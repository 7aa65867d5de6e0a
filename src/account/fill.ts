/** What the prerendered pages lack: brand, offers and the settings that their script reads. Filled in once. */
import type { Config } from '../config/index.ts';
import type { WebFace } from '../kernel/web-face.ts';
import { brandCss } from './core/branding.ts';
import { fillPage } from './core/html.ts';
import { languages } from './core/languages.ts';
import { type AuthSettings, type Offers, offersOf, offNames } from './core/offers.ts';
import { readLogo } from './logo.ts';
import type { PageDeps } from './routes/pages.ts';

/** What the script of every page reads (`web/account/page-config.ts` has the same shape). */
export interface PageConfig {
  readonly brand: {
    name: string;
    logo: string;
    welcome: string;
    supportUrl?: string;
    termsUrl?: string;
    privacyUrl?: string;
  };
  readonly offers: Offers;
  readonly key: string;
  readonly password: { minLength: number; requirements: string };
  readonly codeLength: number;
  /** Seconds between two codes to one address. */
  readonly resendAfter: number;
  readonly totp: boolean;
  readonly currentPassword: boolean;
  /** Whether other apps can be allowed to act for a user. */
  readonly apps: boolean;
  readonly requestId: string;
  readonly languages: readonly string[];
}

export interface FillerDeps {
  readonly face: WebFace;
  readonly config: Config;
  readonly internalFetch: (path: string) => Promise<Response>;
  readonly publishableKey: string;
}

const logoPath = '/account/logo';
/** Codes cannot be asked for faster than people read them, whatever the project allows. */
const shortestResendSeconds = 5;

export function createPageFiller(
  deps: FillerDeps,
): Pick<PageDeps, 'filled' | 'textOf' | 'languages' | 'imageSources' | 'logo'> {
  const { face, config, internalFetch, publishableKey } = deps;
  const { branding } = config.plinth;
  const name = branding.name ?? config.project_id;
  const css = brandCss(branding.color);
  const logo = readLogo(config);
  const offeredLanguages = config.plinth.account.languages;
  const offLanguages = languages
    .filter((language) => !offeredLanguages.includes(language))
    .map((language) => `lang-${language}`);
  const pages = new Map<string, string>();
  const texts = new Map<string, Readonly<Record<string, string>>>();
  let offers: Offers | undefined;

  async function readOffers(): Promise<Offers> {
    const response = await internalFetch('/auth/v1/settings');
    if (!response.ok) throw new Error(`auth's settings could not be read (status ${response.status})`);
    return offersOf((await response.json()) as AuthSettings);
  }

  function pageConfig(offered: Offers, welcome: string): PageConfig {
    const { auth } = config;
    return {
      brand: {
        name,
        logo: logoPath,
        welcome,
        ...(branding.support_url === undefined ? {} : { supportUrl: branding.support_url }),
        ...(branding.terms_url === undefined ? {} : { termsUrl: branding.terms_url }),
        ...(branding.privacy_url === undefined ? {} : { privacyUrl: branding.privacy_url }),
      },
      offers: offered,
      key: publishableKey,
      password: { minLength: auth.minimum_password_length, requirements: auth.password_requirements },
      codeLength: auth.email.otp_length,
      resendAfter: Math.max(shortestResendSeconds, Math.ceil(auth.email.max_frequency / 1000)),
      totp: auth.mfa.totp.enroll_enabled,
      currentPassword: auth.email.require_current_password,
      apps: auth.oauth_server.enabled,
      // Filled in with each answer.
      requestId: '%PLINTH_REQUEST_ID%',
      languages: offeredLanguages,
    };
  }

  return {
    imageSources: 'address' in logo && /^https?:/.test(logo.address) ? [new URL(logo.address).origin] : [],
    logo,
    languages: offeredLanguages,
    textOf(code, language) {
      const known =
        texts.get(language) ??
        (JSON.parse(face.html(`pages/${language}/texts.json`) ?? '{}') as Record<string, string>);
      texts.set(language, known);
      const id = [code, `error.${code}`, 'error.other'].find((one) => Object.hasOwn(known, one));
      return id === undefined ? '' : (known[id] as string);
    },
    async filled(page, language) {
      const file = `pages/${language}/${page}.html`;
      const known = pages.get(file);
      if (known !== undefined) return known;
      const html = face.html(file);
      if (html === undefined) return undefined;
      offers ??= await readOffers();
      const welcome = branding.welcome[language === 'ar' ? 'ar' : 'en'] ?? '';
      const config = pageConfig(offers, welcome);
      const filled = fillPage(html, {
        welcome,
        name,
        logo: logoPath,
        off: [...offNames(offers), ...offLanguages],
        brandCss: css,
        config,
      });
      pages.set(file, filled);
      return filled;
    },
  };
}
