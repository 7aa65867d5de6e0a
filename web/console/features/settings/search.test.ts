import { expect, test } from 'vitest';
import { describeNames, describePages, describeSettings } from '../../../../src/platform/config/index.ts';
import { createSearch, normalized } from './search.ts';

const settings = [...describeSettings(), ...describeNames()].flatMap((section) => section.settings);
const byKey = new Map(settings.map((one) => [one.path.join('.'), { ...one, key: one.path.join('.') }]));
const search = createSearch(describePages(), (key) => byKey.get(key));
const first = (query: string) => search(query)[0]?.key;

test.each([
  ['minimum password', 'auth.minimum_password_length'],
  ['min password length', 'auth.minimum_password_length'],
  ['google login', 'auth.external.google.enabled'],
  ['logout everywhere', 'auth.sessions.single_per_user'],
  ['file size', 'storage.file_size_limit'],
  ['cors', 'server.browser_secret_keys'],
  ['smtp password', 'auth.email.smtp.pass'],
  ['jwt_expiry', 'auth.jwt_expiry'],
  ['2fa authenticator', 'auth.mfa.totp.enroll_enabled'],
  ['letsencrypt', 'server.tls.acme.domains'],
  ['twilio token', 'auth.sms.twilio.auth_token'],
])('%s finds %s', (query, key) => {
  expect(first(query)).toBe(key);
});

test('a magic link has a lifetime, an email and a switch', () => {
  const keys = search('magic link').map(({ key }) => key);
  expect(keys.slice(0, 3)).toContain('auth.email.otp_expiry');
  expect(keys).toEqual(
    expect.arrayContaining(['auth.email.enable_signup', 'auth.email.template.magic_link.subject']),
  );
});

test.each([
  ['test', 'Send a test email'],
  ['send test', 'Send a test email'],
  ['test sms', 'Send a test text message'],
  ['test mail', 'Send a test email'],
])('%s finds the form: %s', (query, label) => {
  expect(search(query)[0]?.label).toBe(label);
});

test('a page is found by its title', () => {
  expect(search('backups')[0]).toMatchObject({ key: null, page: { id: 'backups' } });
});

test('every word must match, and spellings are unified', () => {
  expect(search('google quux')).toEqual([]);
  expect(search('  ')).toEqual([]);
  expect(normalized('Log-in E-Mails')).toBe('signin email');
});
