/** The settings for external providers: OAuth, text messages, and third-party token issuers. */
import {
  boolean,
  duration,
  names,
  optionalText,
  reasons,
  restartSection,
  secret,
  section,
  text,
} from './define.ts';

const provider = (name: string) =>
  section(`Sign-in with ${name}.`, {
    enabled: boolean(false, 'Enables this sign-in method.'),
    client_id: text('', 'Client ID. Separate several IDs, such as those of native apps, with commas.'),
    secret: secret('Client secret.'),
    url: text('', 'URL of the provider, for self-hosted or multi-tenant providers.'),
    redirect_uri: text('', 'URL to which the provider redirects users.', { defaultText: 'ISSUER/callback' }),
    skip_nonce_check: boolean(false, 'Accepts ID tokens without a nonce.'),
    email_optional: boolean(false, 'Signs users in even if the provider sends no email address.'),
  });

export const external = section('OAuth providers.', {
  apple: provider('Apple'),
  azure: provider('Microsoft'),
  bitbucket: provider('Bitbucket'),
  discord: provider('Discord'),
  facebook: provider('Facebook'),
  figma: provider('Figma'),
  fly: provider('Fly'),
  github: provider('GitHub'),
  gitlab: provider('GitLab'),
  google: provider('Google'),
  kakao: provider('Kakao'),
  keycloak: provider('Keycloak'),
  linkedin_oidc: provider('LinkedIn'),
  notion: provider('Notion'),
  slack_oidc: provider('Slack'),
  snapchat: provider('Snapchat'),
  spotify: provider('Spotify'),
  twitch: provider('Twitch'),
  twitter: provider('Twitter (OAuth 1)'),
  vercel_marketplace: provider('Vercel Marketplace'),
  workos: provider('WorkOS'),
  x: provider('X'),
  zoom: provider('Zoom'),
});

const twilio = (name: string, service: string) =>
  section(`Text messages sent with ${name}.`, {
    enabled: boolean(false, 'Enables this provider.'),
    account_sid: text('', 'Account SID.'),
    message_service_sid: text('', service),
    auth_token: secret('Auth token.'),
  });

export const sms = section('Sign-in with a phone number.', {
  enable_signup: boolean(false, 'Allows sign-up with a phone number.', { alias: 'enabled' }),
  enable_confirmations: boolean(
    false,
    'Requires users to confirm their phone number before the first sign-in.',
  ),
  template: text('Your code is {{ .Code }}', 'Message text.'),
  max_frequency: duration(5000, 'Minimum interval between messages to the same user.'),
  test_otp: names('PHONE', 'Phone numbers with a fixed code, for testing.', text('', 'Fixed code.')),
  twilio: twilio('Twilio', "SID of the messaging service, or the sender's phone number."),
  twilio_verify: twilio(
    'Twilio Verify',
    'SID of the verification service, which generates and checks the codes.',
  ),
  messagebird: section('Text messages sent with MessageBird.', {
    enabled: boolean(false, 'Enables this provider.'),
    originator: text('', 'Sender name or number.'),
    access_key: secret('Access key.'),
  }),
  textlocal: section('Text messages sent with Textlocal.', {
    enabled: boolean(false, 'Enables this provider.'),
    sender: text('', 'Sender name or number.'),
    api_key: secret('API key.'),
  }),
  vonage: section('Text messages sent with Vonage.', {
    enabled: boolean(false, 'Enables this provider.'),
    from: text('', 'Sender name or number.'),
    api_key: text('', 'API key.'),
    api_secret: secret('API secret.'),
  }),
});

export const thirdParty = restartSection(reasons.keys, 'Third-party token issuer. Only one can be enabled.', {
  firebase: section('Firebase.', {
    enabled: boolean(false, 'Accepts tokens from this issuer.'),
    project_id: optionalText('Project ID.'),
  }),
  auth0: section('Auth0.', {
    enabled: boolean(false, 'Accepts tokens from this issuer.'),
    tenant: optionalText('Tenant name.'),
    tenant_region: optionalText('Region.'),
  }),
  aws_cognito: section('Amazon Cognito.', {
    enabled: boolean(false, 'Accepts tokens from this issuer.'),
    user_pool_id: optionalText('User pool ID.'),
    user_pool_region: optionalText('Region.'),
  }),
  clerk: section('Clerk.', {
    enabled: boolean(false, 'Accepts tokens from this issuer.'),
    domain: optionalText('Domain, such as clerk.example.com or example.clerk.accounts.dev.'),
  }),
  workos: section('WorkOS.', {
    enabled: boolean(false, 'Accepts tokens from this issuer.'),
    issuer_url: optionalText('Issuer URL.'),
  }),
});
