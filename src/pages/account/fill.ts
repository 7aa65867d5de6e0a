/**
 * Fills in the parts of the prerendered pages that don't depend on the request: the brand, the offered features and the
 * script's settings.
 */

import type { WebFace } from '../../base/kernel/web-face.ts';
import { directionOf, nameOf } from '../../base/shared/languages.ts';
import type { Config } from '../../platform/config/index.ts';
import { brandCss, brandDarkCss } from './core/branding.ts';
import { fillLanguages, fillPage, keepAgreement, keepLinks, repeatRules, repeatWays } from './core/html.ts';
import {
  type AuthSettings,
  emptyParts,
  type MoreFacts,
  type Offers,
  offAt,
  offersOf,
  offNames,
  providersOf,
  type Ways,
  waysOf,
} from './core/offers.ts';
import { passwordRules } from './core/password-rules.ts';
import { hostOf } from './core/return-to.ts';
import { readLogo } from './logo.ts';
import type { PageFiller } from './routes/send.ts';

/** The settings that every page's script reads. `web/account/page-config.ts` defines the same fields. */
export interface PageConfig extends Ways {
  readonly brand: {
    name: string;
    logo: string;
    welcome: string;
    supportUrl?: string;
    termsUrl?: string;
    privacyUrl?: string;
    /** The app's website. The URL is undefined if `site_url` isn't a web address. */
    appUrl?: string;
    signInUrl?: string;
  };
  readonly offers: Offers;
  readonly key: string;
  readonly password: { minLength: number; requirements: string };
  readonly codeLength: number;
  /** The minimum delay in seconds before another code can be sent to the same email address. */
  readonly resendAfter: number;
  /** The blockchains whose wallets can be used to sign in. */
  readonly wallets: readonly ('ethereum' | 'solana')[];
  /**
   * The origins of pages on which browsers can create and use passkeys for the project. Pages at other origins don't
   * offer passkeys.
   */
  readonly keyOrigins: readonly string[];
  /** The second factors that users can add. */
  readonly factors: { totp: boolean; phone: boolean; webAuthn: boolean };
  readonly phoneFactorLength: number;
  /** Whether users can link and unlink identities. */
  readonly linking: boolean;
  readonly captcha?: { provider: 'hcaptcha' | 'turnstile'; siteKey: string };
  /** Whether guests can transfer their data to an existing account. */
  readonly handOver: boolean;
  /** Whether a second factor is required. */
  readonly requireMfa: boolean;
  readonly currentPassword: boolean;
  /** Whether an email change must be confirmed at both addresses. */
  readonly doubleConfirm: boolean;
  /** Whether users can delete their account. */
  readonly deletion: boolean;
  /** Whether users can authorize other apps to act on their behalf. */
  readonly apps: boolean;
  /** Whether users can create API keys. */
  readonly apiKeys: boolean;
  /** The project's organizations. Undefined if the project has none. `joinUrl` is the page that accepts invitations. */
  readonly organizations?: { readonly joinUrl: string };
  /** The limits on the lifetime of sessions. The value 0 disables a limit. */
  readonly sessions: { idleSeconds: number; timeboxSeconds: number; isSingle: boolean };
  readonly languages: readonly { readonly tag: string; readonly name: string; readonly dir: string }[];
}

export interface FillerDeps {
  readonly face: WebFace;
  readonly config: Config;
  readonly settings: () => AuthSettings;
  readonly keyOrigins: () => readonly string[];
  readonly customProviders: () => Promise<MoreFacts['custom']>;
  readonly publishableKey: () => string;
}

/**
 * The sources that the content security policy must allow according to the captcha providers' documentation. The
 * captcha script itself isn't listed, because it is loaded with the nonce. See
 * https://docs.hcaptcha.com/#content-security-policy-settings and
 * https://developers.cloudflare.com/turnstile/reference/content-security-policy/
 */
const captchaSources = {
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  turnstile: ['https://challenges.cloudflare.com'],
} as const;
const logoPath = '/account/logo';
/** The file with all pages in a language. */
const fileOf = (language: string): string => `pages/${language}.json`;
/**
 * The minimum delay before a code can be sent again. If the project's settings contain a shorter delay, the minimum is
 * used instead.
 */
const shortestResendSeconds = 5;

export function createPageFiller(deps: FillerDeps): PageFiller {
  const { face, config, settings, customProviders, publishableKey } = deps;
  const keyOrigins = () => (usesKeys(config) ? deps.keyOrigins() : []);
  const { branding } = config.plinth;
  const name = branding.name ?? config.project_id;
  const css = brandCss(branding.color);
  const darkCss = brandDarkCss(branding.color);
  const logo = readLogo(config);
  const password = {
    minLength: config.auth.minimum_password_length,
    requirements: config.auth.password_requirements,
  };
  const { external } = config.auth;
  const wallets = (['ethereum', 'solana'] as const).filter((chain) => config.auth.web3[chain].enabled);
  const unlisted = unlistedProviders(config);
  const pages = new Map<string, { readonly key: string; readonly html: string }>();
  const availableLanguages = config.plinth.account.languages;
  const listed = availableLanguages.map((tag) => ({ tag, name: nameOf(tag), dir: directionOf(tag) }));
  const texts = new Map<string, Readonly<Record<string, string>>>();

  function textsIn(language: string): Readonly<Record<string, string>> {
    const known =
      texts.get(language) ??
      (JSON.parse(face.page(fileOf(language), 'texts.json') ?? '{}') as Record<string, string>);
    texts.set(language, known);
    return known;
  }

  const welcomes: Readonly<Record<string, string | undefined>> = branding.welcome;
  const welcomeIn = (language: string): string =>
    [language, ...availableLanguages, 'en'].map((tag) => welcomes[tag]).find((text) => text !== undefined) ??
    '';

  function pageConfig(offered: Offers, ways: Ways, welcome: string): PageConfig {
    const { auth } = config;
    const { mfa, captcha } = auth;
    const siteKey = config.plinth.account.captcha_site_key;
    return {
      brand: brandOf(config, { name, logo: logoPath, welcome }),
      offers: offered,
      key: publishableKey(),
      password,
      codeLength: auth.email.otp_length,
      resendAfter: Math.max(shortestResendSeconds, Math.ceil(auth.email.max_frequency / 1000)),
      ...ways,
      wallets,
      keyOrigins: keyOrigins(),
      factors: {
        totp: mfa.totp.enroll_enabled,
        phone: mfa.phone.enroll_enabled,
        webAuthn: mfa.web_authn.enroll_enabled,
      },
      phoneFactorLength: mfa.phone.otp_length,
      linking: auth.enable_manual_linking,
      ...(captcha.enabled && siteKey !== undefined
        ? { captcha: { provider: captcha.provider ?? 'hcaptcha', siteKey } }
        : {}),
      handOver: config.plinth.auth.hook.guest_hand_over.enabled,
      requireMfa: config.plinth.account.require_mfa,
      currentPassword: auth.email.require_current_password,
      doubleConfirm: auth.email.double_confirm_changes,
      deletion: config.plinth.account.deletion,
      apps: auth.oauth_server.enabled,
      apiKeys: config.plinth.auth.api_keys.enabled,
      ...(config.plinth.account.organizations
        ? {
            organizations: {
              joinUrl: config.plinth.account.organization_invitation.url ?? '/account/organizations/join',
            },
          }
        : {}),
      sessions: sessionLimits(config),
      languages: listed,
    };
  }

  return {
    imageSources: 'address' in logo && /^https?:/.test(logo.address) ? [new URL(logo.address).origin] : [],
    captchaSources:
      config.auth.captcha.enabled && config.plinth.account.captcha_site_key !== undefined
        ? captchaSources[config.auth.captcha.provider ?? 'hcaptcha']
        : [],
    logo,
    languages: availableLanguages,
    offHere: (request) => offAt(request, keyOrigins()),
    textOf(code, language) {
      const known = textsIn(language);
      const id = [code, `error.${code}`, 'error.other'].find((one) => Object.hasOwn(known, one));
      return id === undefined ? '' : (known[id] as string);
    },
    intro(page, language, { redirectTo, app }) {
      const destination = app ?? hostOf(redirectTo);
      const to = textsIn(language)['sign-in.to'] ?? '';
      const lines = [
        destination === undefined ? '' : to.replace('%PLINTH_HOST%', () => destination),
        page === 'guest' ? '' : welcomeIn(language),
      ];
      return lines.filter((line) => line !== '').join('\n');
    },
    async filled(page, language, lastUsed) {
      const file = `${fileOf(language)} ${page}.html`;
      // Reads the custom providers each time, because they can be changed while the server is running.
      const custom = await customProviders();
      const facts = { unlisted, custom, wallets, order: Object.keys(external) };
      const offers = offersOf(settings(), facts);
      const ways = waysOf(offers, providersOf(settings(), facts), lastUsed);
      const key = JSON.stringify([custom, ways.last, publishableKey()]);
      const known = pages.get(`${file} ${ways.last}`);
      if (known?.key === key) return known.html;
      const built = face.page(fileOf(language), `${page}.html`);
      if (built === undefined) return undefined;
      const welcome = welcomeIn(language);
      const rules = passwordRules(password).map((id) => textsIn(language)[id] ?? '');
      const links = {
        support: branding.support_url,
        terms: branding.terms_url,
        privacy: branding.privacy_url,
      };
      const kept = keepAgreement(keepLinks(built, links), links);
      const html = fillPage(fillLanguages(repeatRules(repeatWays(kept, ways), rules), listed, language), {
        name,
        logo: logoPath,
        off: [...offNames(offers), ...emptyParts(offers, ways)],
        brandCss: css,
        brandDarkCss: darkCss,
        config: pageConfig(offers, ways, welcome),
        appUrl: config.auth.site_url,
      });
      pages.set(`${file} ${ways.last}`, { key, html });
      return html;
    },
  };
}

/** Returns the enabled providers that the settings endpoint omits, both in upstream and in Plinth. */
export const unlistedProviders = ({ auth }: Config): readonly string[] =>
  auth.external.x.enabled ? ['x'] : [];

/** Omits settings that have no value, because the pages test whether a setting is present. */
function brandOf(
  { auth, plinth: { account, branding } }: Config,
  own: Pick<PageConfig['brand'], 'name' | 'logo' | 'welcome'>,
): PageConfig['brand'] {
  return {
    ...own,
    ...(branding.support_url === undefined ? {} : { supportUrl: branding.support_url }),
    ...(branding.terms_url === undefined ? {} : { termsUrl: branding.terms_url }),
    ...(branding.privacy_url === undefined ? {} : { privacyUrl: branding.privacy_url }),
    ...(/^https?:/.test(auth.site_url) ? { appUrl: auth.site_url } : {}),
    ...(account.sign_in_url === undefined ? {} : { signInUrl: account.sign_in_url }),
  };
}

const sessionLimits = ({ auth, plinth }: Config): PageConfig['sessions'] => ({
  idleSeconds: Math.round((auth.sessions.inactivity_timeout ?? 0) / 1000),
  timeboxSeconds: Math.round((auth.sessions.timebox ?? 0) / 1000),
  isSingle: plinth.auth.sessions.single_per_user,
});

/** Whether the project offers passkeys or security keys. */
export const usesKeys = ({ auth: { passkey, mfa } }: Config): boolean =>
  passkey.enabled || mfa.web_authn.enroll_enabled || mfa.web_authn.verify_enabled;
