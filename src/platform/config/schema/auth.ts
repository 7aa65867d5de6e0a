import { external, sms, thirdParty } from './auth-providers.ts';
import {
  boolean,
  duration,
  integer,
  keysRead,
  list,
  liveSection,
  mounted,
  oneOf,
  optionalDuration,
  optionalOneOf,
  optionalPath,
  optionalPort,
  optionalText,
  secret,
  section,
  text,
} from './define.ts';

export const hook = (help: string) =>
  section(help, {
    enabled: boolean(false, 'Enables the hook.'),
    uri: optionalText('URI of the hook: pg-functions://DATABASE/SCHEMA/FUNCTION, or an HTTP or HTTPS URL.'),
    secrets: secret(
      'Signing secrets of an HTTP hook in the form v1,whsec_BASE64. Separate several secrets with |.',
    ),
  });

const template = (name: string) =>
  section(`The "${name}" email.`, {
    subject: optionalText('Subject line.'),
    content: optionalText('Not supported, as in upstream. Use content_path instead.'),
    content_path: optionalPath(
      'project',
      'HTML file for the email body. Changes to this file apply without a restart.',
    ),
  });

const notification = (name: string) =>
  section(`The "${name}" notification.`, {
    enabled: boolean(false, 'Sends this notification.'),
    subject: optionalText('Subject line.'),
    content: optionalText('Not supported, as in upstream. Use content_path instead.'),
    content_path: optionalPath(
      'either',
      'HTML file for the email body. Changes to this file apply without a restart.',
    ),
  });

const email = section('Sign-in with an email address.', {
  enable_signup: boolean(true, "If disabled, users can't sign up or sign in with email.", {
    alias: 'enabled',
  }),
  double_confirm_changes: boolean(
    true,
    'Requires users to confirm an email address change with both the old and the new address.',
  ),
  enable_confirmations: boolean(
    false,
    'Requires users to confirm their email address before the first sign-in.',
  ),
  secure_password_change: boolean(false, 'Requires a recent sign-in to change the password.'),
  require_current_password: boolean(false, 'Requires the current password to change the password.'),
  max_frequency: duration(1000, 'Minimum interval between emails to the same user.'),
  otp_length: integer(6, 'Number of digits in a code.', { min: 6, max: 10 }),
  otp_expiry: integer(3600, 'Lifetime of codes and links, in seconds.', { min: 1 }),
  smtp: section(
    'Your SMTP server. If this section is enabled, emails are sent instead of captured.',
    {
      enabled: boolean(false, 'Sends email through this server.', {
        defaultText: 'true if this section exists',
      }),
      host: optionalText('Hostname.'),
      port: optionalPort('Port number.'),
      user: optionalText('Username.'),
      pass: secret('Password.'),
      admin_email: optionalText("Sender's email address."),
      sender_name: optionalText("Sender's name."),
    },
    { whenPresent: { enabled: true } },
  ),
  template: section('Emails with a code or a link, as Go templates.', {
    invite: template('invite'),
    confirmation: template('confirmation'),
    recovery: template('recovery'),
    magic_link: template('magic_link'),
    email_change: template('email_change'),
    reauthentication: template('reauthentication'),
  }),
  notification: section('Email notifications about account changes.', {
    password_changed: notification('password_changed'),
    email_changed: notification('email_changed'),
    phone_changed: notification('phone_changed'),
    identity_linked: notification('identity_linked'),
    identity_unlinked: notification('identity_unlinked'),
    mfa_factor_enrolled: notification('mfa_factor_enrolled'),
    mfa_factor_unenrolled: notification('mfa_factor_unenrolled'),
  }),
});

const factor = (help: string) => ({
  enroll_enabled: boolean(false, `Lets users add ${help}.`),
  verify_enabled: boolean(false, `Lets users sign in with ${help}.`),
});

const mfa = section('Multi-factor authentication.', {
  max_enrolled_factors: integer(10, 'Maximum number of factors per user.'),
  totp: section('Authenticator apps.', factor('an authenticator app')),
  phone: section('Codes sent by text message.', {
    ...factor('a phone'),
    otp_length: integer(6, 'Number of digits in a code.', { min: 6, max: 10 }),
    template: text('Your code is {{ .Code }}', 'Message text.'),
    max_frequency: duration(5000, 'Minimum interval between messages to the same user.'),
  }),
  web_authn: section('Security keys.', factor('a security key')),
});

export const auth = liveSection('Users and sessions.', {
  enabled: boolean(true, 'Serves the auth API.', mounted),
  site_url: text(
    'http://127.0.0.1:3000',
    'URL of your app, used as the default redirect URL and as {{ .SiteURL }} in emails.',
  ),
  external_url: optionalText('Public URL of the auth service.', { defaultText: 'API URL + /auth/v1' }),
  additional_redirect_urls: list(
    ['https://127.0.0.1:3000'],
    'Other allowed redirect URLs, with the wildcards * and **.',
  ),
  jwt_expiry: integer(3600, 'Lifetime of access tokens in seconds. The maximum is one week.', {
    min: 1,
    max: 604_800,
  }),
  jwt_issuer: optionalText('Issuer (iss claim) of tokens.', { defaultText: 'auth.external_url' }),
  signing_keys_path: optionalPath(
    'supabase',
    'JSON file with a list of private JWKs. The first key signs tokens.',
    {
      anywhere: true,
      defaultText: 'a built-in ES256 key, for development',
      ...keysRead,
    },
  ),
  enable_refresh_token_rotation: boolean(true, 'Allows each refresh token to be used only once.'),
  refresh_token_reuse_interval: integer(10, 'Number of seconds for which a used refresh token still works.'),
  enable_signup: boolean(true, 'Lets new users sign up.'),
  enable_anonymous_sign_ins: boolean(false, 'Lets users sign in as guests.'),
  enable_manual_linking: boolean(false, 'Lets users link and unlink identities.'),
  minimum_password_length: integer(6, 'Minimum password length.', { min: 1, max: 72 }),
  password_requirements: oneOf(
    '',
    ['letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'],
    'Character types that a password must contain.',
  ),
  publishable_key: secret('Publishable key, which begins with sb_publishable_.', {
    defaultText: "the local stack's well-known key, or a generated key with `plinth serve`",
    ...keysRead,
  }),
  secret_key: secret('Secret key, which begins with sb_secret_.', {
    defaultText: "the local stack's well-known key, or a generated key with `plinth serve`",
    ...keysRead,
  }),
  jwt_secret: secret('Secret for HS256 tokens, with at least 16 characters.', {
    defaultText: "the local stack's well-known secret, or a generated secret with `plinth serve`",
    ...keysRead,
  }),
  anon_key: secret('JWT with the anon role.', { defaultText: 'generated from the secret', ...keysRead }),
  service_role_key: secret('JWT with the service_role role.', {
    defaultText: 'generated from the secret',
    ...keysRead,
  }),
  rate_limit: section('Rate limits. Limits per IP address apply only with `plinth serve`.', {
    email_sent: integer(2, 'Emails per hour. This limit applies only if you use your own SMTP server.'),
    sms_sent: integer(30, 'Text messages per hour.'),
    anonymous_users: integer(30, 'Guest sign-ins per IP address in one hour.'),
    token_refresh: integer(150, 'Sign-ins and session refreshes per IP address in five minutes.'),
    sign_in_sign_ups: integer(30, 'Sign-ups and requested messages per IP address in five minutes.'),
    token_verifications: integer(30, 'Code and link verifications per IP address in five minutes.'),
    web3: integer(30, 'Wallet sign-ins per IP address in five minutes.'),
  }),
  captcha: section('CAPTCHA for signing in and signing up.', {
    enabled: boolean(false, 'Requires a CAPTCHA.'),
    provider: optionalOneOf(['hcaptcha', 'turnstile'], 'CAPTCHA provider.'),
    secret: secret('Secret key from the CAPTCHA provider.'),
  }),
  passkey: section('Passkeys.', { enabled: boolean(false, 'Enables passkeys.') }),
  webauthn: section('WebAuthn relying party.', {
    rp_display_name: optionalText('Name that browsers show when users create or use a passkey.', {
      defaultText: 'auth.webauthn.rp_id',
    }),
    rp_id: optionalText('Domain for which passkeys and security keys are valid.', {
      defaultText: 'host of auth.site_url',
    }),
    rp_origins: list(
      [],
      'Origins on which your app uses passkeys. If empty, the origins of auth.site_url and of the Account pages are used.',
    ),
  }),
  sessions: section('Session limits.', {
    timebox: optionalDuration('Time after which a session ends.'),
    inactivity_timeout: optionalDuration('Time without activity after which a session ends.'),
  }),
  hook: section('Auth hooks, which are your own functions that customize auth.', {
    mfa_verification_attempt: hook('The hook that runs after a user enters a code for a second factor.'),
    password_verification_attempt: hook('The hook that runs after a user enters a password.'),
    custom_access_token: hook('The hook that runs before an access token is issued.'),
    send_sms: hook('The hook that runs instead of sending a text message.'),
    send_email: hook('The hook that runs instead of sending an email.'),
    before_user_created: hook('The hook that runs before a user is created.'),
  }),
  mfa,
  email,
  sms,
  external,
  web3: section('Sign-in with a wallet.', {
    solana: section('Solana.', { enabled: boolean(false, 'Enables this sign-in method.') }),
    ethereum: section('Ethereum.', { enabled: boolean(false, 'Enables this sign-in method.') }),
  }),
  oauth_server: section('The OAuth server, which lets users sign in to other apps with their account.', {
    enabled: boolean(false, 'Enables the OAuth server.'),
    authorization_url_path: optionalText('Path to your own consent page, relative to the site URL.', {
      defaultText: 'the consent page of the Account pages',
    }),
    allow_dynamic_registration: boolean(false, 'Allows dynamic client registration.'),
  }),
  third_party: thirdParty,
});
