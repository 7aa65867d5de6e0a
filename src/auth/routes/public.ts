/** What everybody may read: health, settings, keys, discovery. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import type { Define } from './route.ts';

/** The version whose behaviour this service has. */
const gotrueVersion = 'v2.196.0';

/** In upstream's order. None is offered yet, whatever config.toml enables: apps show buttons by these flags. */
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
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
  }));

  define('GET', '/.well-known/jwks.json', ({ reply }) => {
    reply.header('cache-control', 'public, max-age=600');
    return { ...ctx.keys.publicJwks() };
  });

  define('GET', '/.well-known/openid-configuration', ({ reply }) => {
    reply.header('cache-control', 'public, max-age=600');
    return discovery(settings);
  });

  define('GET', '/.well-known/oauth-authorization-server', ({ reply }) => {
    if (!settings.config.oauth_server.enabled)
      throw authError('feature_disabled', 'OAuth server is disabled');
    reply.header('cache-control', 'public, max-age=600');
    return discovery(settings);
  });
}

function externalSettings(settings: Settings): Record<string, boolean> {
  const flags: Record<string, boolean> = { anonymous_users: settings.anonymousEnabled };
  for (const name of externalNames) flags[name] = false;
  flags.email = settings.email.enabled;
  flags.phone = settings.phone.enabled;
  flags.zoom = false;
  return flags;
}

/** One document for OpenID Connect Discovery and RFC 8414. */
function discovery(settings: Settings): object {
  const issuer = settings.issuer();
  const base = issuer.replace(/\/+$/, '');
  const server = settings.config.oauth_server;
  return {
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    ...(server.enabled && server.allow_dynamic_registration
      ? { registration_endpoint: `${base}/oauth/clients/register` }
      : {}),
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
  };
}
