/**
 * Facts that auth and the Account pages share: which addresses are Account pages, and the names of providers, browsers
 * and systems.
 */

/** Matches host names that refer to this machine. Two such names are treated as equal. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether the address belongs to an Account page. Account pages trust requests from each other, so an app must not be
 * able to redirect users to such a page. The scheme isn't compared, because a proxy may redirect from one scheme to the
 * other.
 *
 * @example isAccountPage('https://api.example.com/account/with', 'https://api.example.com/account') // true
 */
export function isAccountPage(address: string, accountUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const [target, own] = [new URL(address), new URL(accountUrl)];
  const nameOf = ({ hostname }: URL) => (loopback.test(hostname) ? 'localhost' : hostname);
  if (nameOf(target) !== nameOf(own) || target.port !== own.port) return false;
  return target.pathname === own.pathname || target.pathname.startsWith(`${own.pathname}/`);
}

/** The names of the identity providers that auth supports. */
const names: Readonly<Record<string, string>> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  fly: 'Fly.io',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  slack_oidc: 'Slack',
  snapchat: 'Snapchat',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'Twitter',
  vercel_marketplace: 'Vercel',
  workos: 'WorkOS',
  x: 'X',
  zoom: 'Zoom',
};

/** Returns the name of a provider. Returns undefined if the provider is unknown. */
export const knownProviderName = (id: string): string | undefined =>
  Object.hasOwn(names, id) ? names[id] : undefined;

/**
 * Returns the provider name to display. The ID of a custom provider contains its name.
 *
 * @example providerName('custom:acme') // acme
 */
export function providerName(id: string): string {
  return id.startsWith('sso:') ? 'SSO' : (knownProviderName(id) ?? id.replace(/^custom:/, ''));
}

/** Returns the browser and system from a User-Agent header. `web/account/form/fields.ts` contains the same function. */
export function deviceOf(userAgent: string): { browser: string; system: string } | undefined {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return browser === undefined || system === undefined ? undefined : { browser, system };
}

// The order matters because the User-Agent header of each browser in the first lines also contains the name of Chrome
// or Safari.
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /Safari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];
