/** Determines which features the project's pages offer, based on auth's own `/settings`. */
import { customProvider, knownProvider, type Provider } from './providers.ts';

/** The part of `GET /auth/v1/settings` that the pages read. */
export interface AuthSettings {
  readonly external?: Readonly<Record<string, boolean>>;
  readonly disable_signup?: boolean;
  readonly mailer_autoconfirm?: boolean;
  readonly saml_enabled?: boolean;
  readonly passkeys_enabled?: boolean;
}

/** Information that auth's settings don't include. */
export interface MoreFacts {
  /** The enabled providers that auth's settings omit. */
  readonly unlisted: readonly string[];
  /** The project's custom providers. */
  readonly custom: readonly { readonly id: string; readonly name: string }[];
  /** The chains whose wallets can sign in. */
  readonly wallets: readonly string[];
}

export interface Offers {
  readonly password: boolean;
  readonly code: boolean;
  readonly phone: boolean;
  readonly signUp: boolean;
  readonly guest: boolean;
  readonly social: boolean;
  readonly passkey: boolean;
  readonly sso: boolean;
  readonly wallet: boolean;
}

export type OfferName = keyof Offers;

export function offersOf(settings: AuthSettings, facts: MoreFacts): Offers {
  const email = settings.external?.email === true;
  const open = settings.disable_signup !== true;
  return {
    password: email,
    code: email,
    phone: settings.external?.phone === true,
    signUp: email && open,
    guest: settings.external?.anonymous_users === true && open,
    social: providersOf(settings, facts).length > 0,
    passkey: settings.passkeys_enabled === true,
    sso: settings.saml_enabled === true,
    wallet: facts.wallets.length > 0,
  };
}

/**
 * Returns the features that don't work at this origin. A passkey works only at the relying party's origins, and the
 * message that a wallet signs requires an https host or localhost.
 */
export function offAt(
  address: { readonly protocol: string; readonly host: string; readonly hostname: string },
  keyOrigins: readonly string[],
): OfferName[] {
  const { protocol, host, hostname } = address;
  return [
    ...(keyOrigins.includes(`${protocol}://${host}`) ? [] : (['passkey'] as const)),
    ...(protocol === 'https' || hostname === 'localhost' ? [] : (['wallet'] as const)),
  ];
}

/** Returns the providers in the order of the settings. Custom providers are last. */
export function providersOf(
  { external = {} }: AuthSettings,
  { unlisted, custom }: Pick<MoreFacts, 'unlisted' | 'custom'>,
): Provider[] {
  const names = [...Object.keys(external).filter((name) => external[name] === true), ...unlisted];
  return [
    ...[...new Set(names)].flatMap((name) => knownProvider(name) ?? []),
    ...custom.map(({ id, name }) => customProvider(id, name)),
  ];
}

/** Returns the names of the features that aren't offered, for the page's `data-off` attribute. */
export function offNames(offers: Offers): OfferName[] {
  return (Object.keys(offers) as OfferName[]).filter((name) => !offers[name]);
}
