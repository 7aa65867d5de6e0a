/** The settings that anyone can read. Apps use these settings to decide which sign-in buttons to show. */
import type { Settings } from '../settings.ts';

/** The providers in upstream's order. Excludes `x` and `vercel_marketplace`, which upstream also omits. */
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

/** The response body of `GET /settings`. */
export interface PublicSettings {
  readonly external: Readonly<Record<string, boolean>>;
  readonly disable_signup: boolean;
  readonly mailer_autoconfirm: boolean;
  readonly phone_autoconfirm: boolean;
  readonly sms_provider: string;
  readonly saml_enabled: boolean;
  readonly saml_private_key_next_configured: boolean;
  readonly passkeys_enabled: boolean;
}

export function publicSettings(settings: Settings): PublicSettings {
  return {
    external: externalSettings(settings),
    disable_signup: !settings.signupEnabled,
    mailer_autoconfirm: settings.email.autoconfirm,
    phone_autoconfirm: settings.phone.autoconfirm,
    sms_provider: settings.phone.provider,
    saml_enabled: settings.saml.enabled,
    saml_private_key_next_configured: settings.saml.enabled && settings.saml.private_key_next !== undefined,
    passkeys_enabled: settings.passkeysEnabled,
  };
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
