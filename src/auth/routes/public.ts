/** Public information: health and settings. */
import type { AuthContext } from '../context.ts';
import type { Settings } from '../settings.ts';
import type { Define } from './route.ts';

/** The version that this service is compatible with. */
const gotrueVersion = 'v2.196.0';

/**
 * In upstream's order, without x and vercel_marketplace, which upstream omits. Apps use these flags to decide which
 * sign-in buttons to show.
 */
const externalNames = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'snapchat',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'keycloak',
  'kakao',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'spotify',
  'slack',
  'slack_oidc',
  'workos',
  'twitch',
  'twitter',
] as const;

export function publicRoutes(define: Define, ctx: AuthContext): void {
  const { settings } = ctx;

  define('GET', '/health', () => ({
    version: gotrueVersion,
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  }));

  define('GET', '/settings', () => ({
    external: externalSettings(settings),
    disable_signup: !settings.signupEnabled,
    mailer_autoconfirm: settings.email.autoconfirm,
    phone_autoconfirm: settings.phone.autoconfirm,
    sms_provider: settings.phone.provider,
    saml_enabled: settings.saml.enabled,
    saml_private_key_next_configured: settings.saml.enabled && settings.saml.private_key_next !== undefined,
    passkeys_enabled: settings.passkeysEnabled,
  }));
}

function externalSettings(settings: Settings): Record<string, boolean> {
  const flags: Record<string, boolean> = { anonymous_users: settings.anonymousEnabled };
  const isEnabled = (name: string): boolean => settings.providers.get(name)?.enabled ?? false;
  for (const name of externalNames) flags[name] = isEnabled(name);
  flags.email = settings.email.enabled;
  flags.phone = settings.phone.enabled;
  flags.zoom = isEnabled('zoom');
  return flags;
}
