/** Determines which features the Account pages offer, based on the auth service's `/settings` endpoint. */
import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { SignInWay } from './browser-memory.ts';
import { customProvider, knownProvider, type Provider } from './providers.ts';

/** The fields that the pages read in the response to `GET /auth/v1/settings`. */
export interface AuthSettings {
  readonly external?: Readonly<Record<string, boolean>>;
  readonly disable_signup?: boolean;
  readonly mailer_autoconfirm?: boolean;
  readonly saml_enabled?: boolean;
  readonly passkeys_enabled?: boolean;
}

/** Information that the auth service's settings don't include. */
export interface MoreFacts {
  /** The enabled providers that the auth service's settings omit. */
  readonly unlisted: readonly string[];
  /** The names of the providers, in the order in which config.toml lists them. */
  readonly order?: readonly string[];
  /** The project's custom providers. */
  readonly custom: readonly { readonly id: string; readonly name: string }[];
  /** The blockchains whose wallets can be used to sign in. */
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
 * Returns the features that don't work on pages with this origin. Passkeys work only at the relying party's origins,
 * and the message that a wallet signs must contain an https host or localhost.
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

/**
 * Whether passkeys and security keys work on the pages. A page that users open as 127.0.0.1 also counts if they work on
 * localhost, because browsers don't allow WebAuthn on an IP address.
 */
export const allowsKeysAt = (accountUrl: string, keyOrigins: readonly string[]): boolean =>
  keyOrigins.some(
    (origin) =>
      URL.canParse(origin) && new URL(keepLoopbackName(accountUrl, new URL(origin).host)).origin === origin,
  );

/** Returns the providers in the order of config.toml, followed by custom providers. */
export function providersOf(
  { external = {} }: AuthSettings,
  { unlisted, custom, order = [] }: Pick<MoreFacts, 'unlisted' | 'custom' | 'order'>,
): Provider[] {
  const enabled = [...Object.keys(external).filter((name) => external[name] === true), ...unlisted];
  const names = [...order.filter((name) => enabled.includes(name)), ...enabled];
  return [
    ...[...new Set(names)].flatMap((name) => knownProvider(name) ?? []),
    ...custom.map(({ id, name }) => customProvider(id, name)),
  ];
}

/** Returns the names of the features that aren't offered, for the page's `data-off` attribute. */
export function offNames(offers: Offers): OfferName[] {
  return (Object.keys(offers) as OfferName[]).filter((name) => !offers[name]);
}

/** The sign-in methods for which users don't type an address, in display order. */
export interface Ways {
  /** The providers, most recently used first. */
  readonly providers: readonly Provider[];
  /** The number of providers that are visible without opening "Other ways to sign in". */
  readonly shown: number;
  /** Whether the other methods are collapsed under "Other ways to sign in". */
  readonly isCollapsed: boolean;
  readonly last?: SignInWay;
}

/**
 * The maximum number of sign-in methods shown below the address field. If there are more methods, only providers are
 * shown. If even the number of providers exceeds the maximum, only the most recently used provider is shown.
 */
const maxShown = 3;

/** Sorts the providers and determines which of them the sign-in page shows below the address field. */
export function waysOf(offers: Offers, providers: readonly Provider[], last: SignInWay | undefined): Ways {
  const isLast = ({ id }: Provider): boolean => id === last;
  const others = [offers.wallet, offers.guest, offers.sso].filter(Boolean).length;
  const isCollapsed = providers.length + others > maxShown;
  const hasLast = providers.some(isLast);
  const isKnown = hasLast || last === 'passkey' || last === 'wallet' || last === 'sso';
  return {
    providers: [...providers.filter(isLast), ...providers.filter((one) => !isLast(one))],
    shown: providers.length <= maxShown ? providers.length : Number(hasLast),
    isCollapsed,
    ...(isKnown ? { last } : {}),
  };
}

/** Returns the names of the page's sections that would be empty, for the page's `data-off` attribute. */
export function emptyParts(offers: Offers, { providers, shown, isCollapsed }: Ways): string[] {
  const isEmpty = providers.length === shown && !offers.wallet && !offers.guest && !offers.sso;
  return [
    ...(offers.password || offers.phone || offers.sso ? [] : ['address']),
    ...(isEmpty ? ['others'] : []),
    ...(isEmpty && shown === 0 && !offers.passkey ? ['or'] : []),
    ...(isCollapsed ? [] : ['summary']),
  ];
}
