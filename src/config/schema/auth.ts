import { external, sms, thirdParty } from './auth-providers.ts';
import {
  boolean,
  duration,
  integer,
  list,
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
    enabled: boolean(false, 'Calls the hook.'),
    uri: optionalText('pg-functions://DATABASE/SCHEMA/FUNCTION, or an http or https address.'),
    secrets: secret('Secrets of an http hook, v1,whsec_BASE64; several joined by |.'),
  });

const template = (name: string) =>
  section(`The mail "${name}".`, {
    subject: optionalText('Subject.'),
    content: optionalText('Refused: upstream takes content_path only.'),
    content_path: optionalPath('project', 'HTML of the mail, read again when it changes.'),
  });

const notification = (name: string) =>
  section(`The notice "${name}".`, {
    enabled: boolean(false, 'Sends it.'),
    subject: optionalText('Subject.'),
    content: optionalText('Refused: upstream takes content_path only.'),
    content_path: optionalPath('either', 'HTML of the mail, read again when it changes.'),
  });

const email = section('Sign-in with an email address.', {
  enable_signup: boolean(true, 'False stops sign-up and sign-in with email.', { alias: 'enabled' }),
  double_confirm_changes: boolean(true, 'A new address is confirmed at the old and at the new one.'),
  enable_confirmations: boolean(false, 'An address must be confirmed before the first sign-in.'),
  secure_password_change: boolean(false, 'A password change needs a recent sign-in.'),
  require_current_password: boolean(false, 'A password change needs the current password.'),
  max_frequency: duration(1000, 'Shortest time between two mails to one user.'),
  otp_length: integer(6, 'Digits of a code.', { min: 6, max: 10 }),
  otp_expiry: integer(3600, 'Seconds for which codes and links hold.', { min: 1 }),
  smtp: section(
    'Your own mail server; it replaces the captured inbox.',
    {
      enabled: boolean(false, 'Sends mail through it.', { defaultText: 'true once the table exists' }),
      host: optionalText('Host.'),
      port: optionalPort('Port.'),
      user: optionalText('User.'),
      pass: secret('Password.'),
      admin_email: optionalText("Sender's address."),
      sender_name: optionalText("Sender's name."),
    },
    { whenPresent: { enabled: true } },
  ),
  template: section('Mails with a code or a link, as Go templates.', {
    invite: template('invite'),
    confirmation: template('confirmation'),
    recovery: template('recovery'),
    magic_link: template('magic_link'),
    email_change: template('email_change'),
    reauthentication: template('reauthentication'),
  }),
  notification: section('Notices after a change.', {
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
  enroll_enabled: boolean(false, `Users may add ${help}.`),
  verify_enabled: boolean(false, `Users may sign in with ${help}.`),
});

const mfa = section('A second factor.', {
  max_enrolled_factors: integer(10, 'Most factors of a user.'),
  totp: section('Authenticator apps.', factor('an authenticator app')),
  phone: section('Codes by text message.', {
    ...factor('a phone'),
    otp_length: integer(6, 'Digits of a code.', { min: 6, max: 10 }),
    template: text('Your code is {{ .Code }}', 'Text of the message.'),
    max_frequency: duration(5000, 'Shortest time between two messages to one user.'),
  }),
  web_authn: section('Security keys.', factor('a security key')),
});

export const auth = section('Users and sessions.', {
  enabled: boolean(true, 'Serves sign-in.'),
  site_url: text('http://127.0.0.1:3000', 'Your app: default of redirects, and {{ .SiteURL }} of mails.'),
  external_url: optionalText('Address of the auth service.', { defaultText: 'API address + /auth/v1' }),
  additional_redirect_urls: list(
    ['https://127.0.0.1:3000'],
    'Where else a redirect may lead; * and ** match.',
  ),
  jwt_expiry: integer(3600, 'Seconds an access token holds, a week at most.', { min: 1, max: 604_800 }),
  jwt_issuer: optionalText('Issuer of tokens.', { defaultText: 'auth.external_url' }),
  signing_keys_path: optionalPath('supabase', 'JSON list of private JWKs; the first signs.', {
    anywhere: true,
    defaultText: 'a built-in ES256 key, for development',
  }),
  enable_refresh_token_rotation: boolean(true, 'A refresh token is used once.'),
  refresh_token_reuse_interval: integer(10, 'Seconds in which a used refresh token still works.'),
  enable_signup: boolean(true, 'New users may sign up.'),
  enable_anonymous_sign_ins: boolean(false, 'Users may start as guests.'),
  enable_manual_linking: boolean(false, 'Users may link and unlink identities.'),
  minimum_password_length: integer(6, 'Shortest password.', { min: 1, max: 72 }),
  password_requirements: oneOf(
    '',
    ['letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'],
    'Kinds of characters that a password must hold.',
  ),
  publishable_key: secret('Publishable key, sb_publishable_…', { defaultText: 'the well-known one' }),
  secret_key: secret('Secret key, sb_secret_…', { defaultText: 'the well-known one' }),
  jwt_secret: secret('Secret of HS256 tokens, 16 characters at least.', {
    defaultText: 'the well-known one',
  }),
  anon_key: secret('JWT of the role anon.', { defaultText: 'made from the secret' }),
  service_role_key: secret('JWT of the role service_role.', { defaultText: 'made from the secret' }),
  rate_limit: section('Limits; those by address hold under `plinth serve`.', {
    email_sent: integer(2, 'Mails in an hour; counts only with your own SMTP server.'),
    sms_sent: integer(30, 'Text messages in an hour.'),
    anonymous_users: integer(30, 'Guests in an hour and address.'),
    token_refresh: integer(150, 'Sign-ins and refreshed sessions in five minutes and address.'),
    sign_in_sign_ups: integer(30, 'Sign-ups, and messages asked for, in five minutes and address.'),
    token_verifications: integer(30, 'Verified codes and links in five minutes and address.'),
    web3: integer(30, 'Wallet sign-ins in five minutes and address.'),
  }),
  captcha: section('A captcha at sign-in and sign-up.', {
    enabled: boolean(false, 'Asks for it.'),
    provider: optionalOneOf(['hcaptcha', 'turnstile'], 'Whose captcha.'),
    secret: secret('Secret of the site.'),
  }),
  passkey: section('Passkeys.', { enabled: boolean(false, 'Offers passkeys.') }),
  webauthn: section('Who the browser signs for.', {
    rp_display_name: optionalText('Name shown by the browser.', { defaultText: 'rp_id' }),
    rp_id: optionalText('Domain that keys belong to.', { defaultText: 'host of auth.site_url' }),
    rp_origins: list([], 'Addresses of your app; auth.site_url if there are none.'),
  }),
  sessions: section('Ends of sessions.', {
    timebox: optionalDuration('Longest session.'),
    inactivity_timeout: optionalDuration('Longest pause.'),
  }),
  hook: section('Hooks: functions of yours that decide.', {
    mfa_verification_attempt: hook('After an attempt with a second factor.'),
    password_verification_attempt: hook('After an attempt with a password.'),
    custom_access_token: hook('Before a token is issued.'),
    send_sms: hook('In place of sending a text message.'),
    send_email: hook('In place of sending a mail.'),
    before_user_created: hook('Before a user is made.'),
  }),
  mfa,
  email,
  sms,
  external,
  web3: section('Sign-in with a wallet.', {
    solana: section('Solana.', { enabled: boolean(false, 'Offers it.') }),
    ethereum: section('Ethereum.', { enabled: boolean(false, 'Offers it.') }),
  }),
  oauth_server: section('This project as an OAuth provider for others.', {
    enabled: boolean(false, 'Serves it.'),
    authorization_url_path: optionalText('Path below the site URL of your own page that asks for consent.', {
      defaultText: 'the Account pages ask',
    }),
    allow_dynamic_registration: boolean(false, 'Clients may register themselves.'),
  }),
  third_party: thirdParty,
});
