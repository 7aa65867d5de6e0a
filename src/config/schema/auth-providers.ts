/** Who else may vouch for a user: OAuth providers, text message providers, third-party issuers, wallets. */
import { boolean, duration, names, optionalText, secret, section, text } from './define.ts';

const provider = (name: string) =>
  section(`Sign-in with ${name}.`, {
    enabled: boolean(false, 'Offers it.'),
    client_id: text('', 'Client id; several (for native apps) joined by commas.'),
    secret: secret('Client secret.'),
    url: text('', "The provider's address, where it has more than one."),
    redirect_uri: text('', 'Address the provider sends users back to.', { defaultText: 'ISSUER/callback' }),
    skip_nonce_check: boolean(false, 'Accepts id tokens without a nonce.'),
    email_optional: boolean(false, 'Signs users in even when the provider tells no email address.'),
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
  section(`Text messages by ${name}.`, {
    enabled: boolean(false, 'Uses it.'),
    account_sid: text('', 'Account.'),
    message_service_sid: text('', service),
    auth_token: secret('Token.'),
  });

export const sms = section('Sign-in with a phone number.', {
  enable_signup: boolean(false, 'Allows sign-up with a phone number.', { alias: 'enabled' }),
  enable_confirmations: boolean(false, 'A number must be confirmed before the first sign-in.'),
  template: text('Your code is {{ .Code }}', 'Text of the message.'),
  max_frequency: duration(5000, 'Shortest time between two messages to one user.'),
  test_otp: names('PHONE', 'Numbers with a fixed code, for tests.', text('', 'The code.')),
  twilio: twilio('Twilio', 'Messaging service, or the number to send from.'),
  twilio_verify: twilio('Twilio Verify', 'Verification service. It makes and checks the codes itself.'),
  messagebird: section('Text messages by MessageBird.', {
    enabled: boolean(false, 'Uses it.'),
    originator: text('', 'Sender.'),
    access_key: secret('Access key.'),
  }),
  textlocal: section('Text messages by Textlocal.', {
    enabled: boolean(false, 'Uses it.'),
    sender: text('', 'Sender.'),
    api_key: secret('API key.'),
  }),
  vonage: section('Text messages by Vonage.', {
    enabled: boolean(false, 'Uses it.'),
    from: text('', 'Sender.'),
    api_key: text('', 'API key.'),
    api_secret: secret('API secret.'),
  }),
});

export const thirdParty = section('An outside issuer whose tokens are accepted; at most one.', {
  firebase: section('Firebase.', {
    enabled: boolean(false, 'Accepts its tokens.'),
    project_id: optionalText('Project.'),
  }),
  auth0: section('Auth0.', {
    enabled: boolean(false, 'Accepts its tokens.'),
    tenant: optionalText('Tenant.'),
    tenant_region: optionalText('Region.'),
  }),
  aws_cognito: section('Amazon Cognito.', {
    enabled: boolean(false, 'Accepts its tokens.'),
    user_pool_id: optionalText('User pool.'),
    user_pool_region: optionalText('Region.'),
  }),
  clerk: section('Clerk.', {
    enabled: boolean(false, 'Accepts its tokens.'),
    domain: optionalText('Domain, as clerk.example.com or example.clerk.accounts.dev.'),
  }),
  workos: section('WorkOS.', {
    enabled: boolean(false, 'Accepts its tokens.'),
    issuer_url: optionalText('Issuer.'),
  }),
});
