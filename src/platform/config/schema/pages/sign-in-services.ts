/** The settings pages for providers, SSO, hooks and other token issuers. */
import { type PagePart, type PageSpec, under } from './types.ts';

/** The sign-in providers, most common first, each with the URL of the page where OAuth apps are created. */
const providers: readonly (readonly [name: string, title: string, url: string])[] = [
  ['google', 'Google', 'https://console.cloud.google.com/apis/credentials'],
  ['apple', 'Apple', 'https://developer.apple.com/account/resources/identifiers/list/serviceId'],
  ['github', 'GitHub', 'https://github.com/settings/developers'],
  [
    'azure',
    'Microsoft',
    'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
  ],
  ['facebook', 'Facebook', 'https://developers.facebook.com/apps'],
  ['x', 'X', 'https://developer.x.com/en/portal/dashboard'],
  ['discord', 'Discord', 'https://discord.com/developers/applications'],
  ['linkedin_oidc', 'LinkedIn', 'https://www.linkedin.com/developers/apps'],
  ['slack_oidc', 'Slack', 'https://api.slack.com/apps'],
  ['gitlab', 'GitLab', 'https://gitlab.com/-/user_settings/applications'],
  ['bitbucket', 'Bitbucket', 'https://bitbucket.org/account/workspaces'],
  ['spotify', 'Spotify', 'https://developer.spotify.com/dashboard'],
  ['twitch', 'Twitch', 'https://dev.twitch.tv/console/apps'],
  ['notion', 'Notion', 'https://www.notion.so/profile/integrations'],
  ['figma', 'Figma', 'https://www.figma.com/developers/apps'],
  ['zoom', 'Zoom', 'https://marketplace.zoom.us/user/build'],
  ['kakao', 'Kakao', 'https://developers.kakao.com/console/app'],
  ['snapchat', 'Snapchat', 'https://kit.snapchat.com/manage/apps'],
  ['keycloak', 'Keycloak', 'https://www.keycloak.org/docs/latest/server_admin/#_oidc_clients'],
  ['workos', 'WorkOS', 'https://dashboard.workos.com'],
  ['fly', 'Fly', 'https://fly.io/dashboard'],
  ['vercel_marketplace', 'Vercel Marketplace', 'https://vercel.com/dashboard/integrations/console'],
  ['twitter', 'Twitter (OAuth 1.0a)', 'https://developer.x.com/en/portal/dashboard'],
];

/** The sign-in providers that organizations host themselves or that have a separate URL for each tenant. */
const withServer = new Set(['azure', 'gitlab', 'keycloak', 'workos']);

const providerPart = ([name, title, url]: (typeof providers)[number]): PagePart => ({
  title,
  panel: { kind: 'provider', name, url, hasServer: withServer.has(name) },
  settings: under(`auth.external.${name}`, [
    ['enabled', `Sign in with ${title}`, { words: 'login social oauth provider' }],
    ['client_id', `${title} client ID`, { words: 'login social oauth app id' }],
    ['secret', `${title} client secret`, { words: 'login social oauth key' }],
    ['url', `${title} server URL`, { words: 'self-hosted tenant domain' }],
    ['redirect_uri', `${title} callback URL`, { words: 'redirect' }],
    ['skip_nonce_check', `Accept ${title} ID tokens without a nonce`, { words: 'native mobile' }],
    ['email_optional', `Accept ${title} users without an email address`],
  ]),
});

const hooks: readonly (readonly [name: string, title: string])[] = [
  ['before_user_created', 'Before a user is created'],
  ['after_user_created', 'After a user is created'],
  ['custom_access_token', 'Access token claims'],
  ['password_verification_attempt', 'Password attempts'],
  ['mfa_verification_attempt', 'Second factor attempts'],
  ['send_email', 'Send emails'],
  ['send_sms', 'Send text messages'],
  ['guest_hand_over', 'Move a guest’s data'],
];

const hookPart = ([name, title]: (typeof hooks)[number]): PagePart => ({
  title,
  panel: { kind: 'hook', name },
  settings: under(`auth.hook.${name}`, [
    ['enabled', `${title}: use the hook`, { words: 'webhook callback custom' }],
    ['uri', `${title}: function or URL`, { words: 'webhook uri postgres endpoint' }],
    ['secrets', `${title}: signing secrets`, { words: 'webhook signature whsec' }],
  ]),
});

export const signInServicePages: readonly PageSpec[] = [
  {
    id: 'providers',
    group: 'users',
    title: 'Providers',
    text: 'Sign-in with accounts from other services.',
    words: 'social oauth openid',
    parts: providers.map(providerPart),
  },
  {
    id: 'sso',
    group: 'users',
    title: 'SSO',
    text: 'Single sign-on for organizations with SAML 2.0. Add connections under Users, SSO connections.',
    words: 'enterprise saml okta single sign-on',
    parts: [
      {
        settings: under('auth.saml', [
          ['enabled', 'Single sign-on with SAML 2.0', { words: 'okta entra identity provider' }],
          ['enforced_domains', 'Domains that require SSO', { words: 'enforce email domain' }],
          ['external_url', 'URL for identity providers', { words: 'acs entity id metadata' }],
          ['relay_state_validity_period', 'Time limit for a sign-in', { words: 'relay state timeout' }],
        ]),
      },
      {
        title: 'Keys and encryption',
        isRare: true,
        settings: under('auth.saml', [
          ['private_key', 'SAML private key', { words: 'certificate rsa signing' }],
          ['private_key_next', 'Next SAML private key', { words: 'certificate rotation' }],
          ['allow_encrypted_assertions', 'Accept encrypted assertions'],
        ]),
      },
    ],
  },
  {
    id: 'hooks',
    group: 'users',
    title: 'Hooks',
    text: 'Your own PostgreSQL functions or HTTP endpoints that customize auth.',
    words: 'webhook callback extend',
    parts: hooks.map(hookPart),
  },
  {
    id: 'webhooks',
    group: 'users',
    title: 'Webhooks',
    text: 'URLs that receive events about users. Deliveries are listed under Users, Webhooks.',
    words: 'event callback notify user.created session',
    parts: [
      {
        names: 'auth.webhooks',
        settings: under('auth.webhooks.*', [
          ['enabled', 'Send events', { words: 'webhook on off' }],
          ['url', 'Webhook URL', { words: 'endpoint receiver' }],
          ['events', 'Event types', { words: 'user.created session.created filter' }],
          ['secret', 'Signing secret', { words: 'whsec signature standard webhooks' }],
        ]),
      },
    ],
  },
  {
    id: 'oauth-server',
    group: 'users',
    title: 'OAuth server',
    text: 'Lets users sign in to other apps with their account here.',
    words: 'openid connect identity provider',
    parts: [
      {
        settings: under('auth.oauth_server', [
          ['enabled', 'OAuth server', { words: 'openid connect' }],
          ['allow_dynamic_registration', 'Apps can register themselves', { words: 'dynamic client mcp' }],
          ['authorization_url_path', 'Consent page', { words: 'authorize path' }],
        ]),
      },
    ],
  },
  {
    id: 'keys',
    group: 'users',
    title: 'Keys and issuers',
    text: 'Keys that the server starts with, and other services whose tokens it accepts. The Keys page creates and rotates keys.',
    words: 'jwt secret signing token third-party',
    parts: [
      {
        title: 'Firebase',
        settings: under('auth.third_party.firebase', [
          ['enabled', 'Accept Firebase tokens', { words: 'third-party issuer' }],
          ['project_id', 'Firebase project ID'],
        ]),
      },
      {
        title: 'Auth0',
        settings: under('auth.third_party.auth0', [
          ['enabled', 'Accept Auth0 tokens', { words: 'third-party issuer' }],
          ['tenant', 'Auth0 tenant'],
          ['tenant_region', 'Auth0 region'],
        ]),
      },
      {
        title: 'Other issuers',
        isRare: true,
        settings: under('auth.third_party', [
          ['aws_cognito.enabled', 'Accept Amazon Cognito tokens', { words: 'third-party issuer aws' }],
          ['aws_cognito.user_pool_id', 'Cognito user pool ID', { words: 'aws' }],
          ['aws_cognito.user_pool_region', 'Cognito region', { words: 'aws' }],
          ['clerk.enabled', 'Accept Clerk tokens', { words: 'third-party issuer' }],
          ['clerk.domain', 'Clerk domain'],
          ['workos.enabled', 'Accept WorkOS tokens', { words: 'third-party issuer' }],
          ['workos.issuer_url', 'WorkOS issuer URL'],
        ]),
      },
      {
        title: 'Keys from the settings file',
        isRare: true,
        settings: under('auth', [
          ['signing_keys_path', 'Signing keys file', { words: 'jwk jwt private' }],
          ['jwt_secret', 'JWT secret', { words: 'hs256 signing' }],
          ['publishable_key', 'Publishable key', { words: 'api key anon' }],
          ['secret_key', 'Secret key', { words: 'api key service' }],
          ['anon_key', 'Anon key', { words: 'api key jwt' }],
          ['service_role_key', 'Service role key', { words: 'api key jwt admin' }],
        ]),
      },
    ],
  },
];
