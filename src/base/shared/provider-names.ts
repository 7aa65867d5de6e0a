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
