/** Tests the defaults of `[auth]` for an empty config.toml, which are those of the upstream CLI's local stack. */
import { expect, test } from 'vitest';
import { configFrom } from '../../src/platform/config/index.ts';
import { defaultMail } from '../../src/services/auth/messages/defaults.ts';
import { settingsFrom } from '../../src/services/auth/settings.ts';

const config = configFrom({});
const off = { enabled: false };

test('config.toml has the upstream defaults', () => {
  expect(config.auth).toMatchObject({
    site_url: 'http://127.0.0.1:3000',
    additional_redirect_urls: ['https://127.0.0.1:3000'],
    jwt_expiry: 3600,
    enable_signup: true,
    enable_anonymous_sign_ins: false,
    enable_manual_linking: false,
    enable_refresh_token_rotation: true,
    refresh_token_reuse_interval: 10,
    minimum_password_length: 6,
    password_requirements: '',
    rate_limit: {
      email_sent: 2,
      sms_sent: 30,
      anonymous_users: 30,
      token_refresh: 150,
      sign_in_sign_ups: 30,
      token_verifications: 30,
      web3: 30,
    },
    email: {
      enable_signup: true,
      double_confirm_changes: true,
      enable_confirmations: false,
      secure_password_change: false,
      max_frequency: 1000,
      otp_length: 6,
      otp_expiry: 3600,
      smtp: off,
      notification: { password_changed: off, mfa_factor_unenrolled: off },
    },
    sms: {
      enable_signup: false,
      enable_confirmations: false,
      max_frequency: 5000,
      test_otp: {},
      template: 'Your code is {{ .Code }}',
    },
    mfa: {
      max_enrolled_factors: 10,
      totp: { enroll_enabled: false, verify_enabled: false },
      phone: { enroll_enabled: false, verify_enabled: false, otp_length: 6, max_frequency: 5000 },
      web_authn: { enroll_enabled: false, verify_enabled: false },
    },
    passkey: off,
    captcha: off,
    web3: { solana: off, ethereum: off },
    oauth_server: { enabled: false, allow_dynamic_registration: false },
  });
  expect(config.auth.sessions.timebox ?? config.auth.sessions.inactivity_timeout).toBeUndefined();
  expect(Object.keys(config.auth.hook).sort().join(' ')).toBe(
    'before_user_created custom_access_token mfa_verification_attempt password_verification_attempt send_email send_sms',
  );
  // linkedin and slack are replaced by their _oidc variants.
  expect(Object.keys(config.auth.external).sort().join(' ')).toBe(
    'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin_oidc notion slack_oidc ' +
      'snapchat spotify twitch twitter vercel_marketplace workos x zoom',
  );
});

test('derived settings have URLs below the API, and practically no limits for emails and client addresses', () => {
  const settings = settingsFrom(config, 'development', () => 'http://127.0.0.1:54321');
  expect(settings.externalUrl()).toBe('http://127.0.0.1:54321/auth/v1');
  expect(settings.issuer()).toBe('http://127.0.0.1:54321/auth/v1');
  expect(settings.hourly).toEqual({ emails: 360_000, sms: 30 });
  expect(settings.limitsByAddress).toBe(false);
  expect(settings.phone).toMatchObject({ otpLength: 6, otpExpiryMs: 6_000_000, provider: '' });
  const smtp = { enabled: true, host: 'smtp.example', port: 465, admin_email: 'a@b.cd', user: '', pass: '' };
  const own = configFrom({ auth: { email: { smtp } } });
  expect(settingsFrom(own, 'development', () => '').hourly.emails).toBe(2);
});

test.each([
  ['confirmation', 'Confirm your email address'],
  ['invite', "You've been invited"],
  ['recovery', 'Reset your password'],
  ['magic_link', 'Your sign-in link'],
  ['email_change', 'Confirm your new email address'],
  ['reauthentication', '{{ .Token }} is your verification code'],
  ['password_changed_notification', 'Your password was changed'],
  ['email_changed_notification', 'Your email address was changed'],
  ['phone_changed_notification', 'Your phone number was changed'],
  ['identity_linked_notification', 'A new sign-in method was linked to your account'],
  ['identity_unlinked_notification', 'A sign-in method was removed from your account'],
  ['mfa_factor_enrolled_notification', 'A new verification method was added to your account'],
  ['mfa_factor_unenrolled_notification', 'A verification method was removed from your account'],
] as const)('the email %s has the default subject', (name, subject) => {
  expect(defaultMail(name, { color: '#000000' }).subject).toBe(subject);
});
