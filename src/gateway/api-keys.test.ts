import { describe, expect, it } from 'vitest';
import { createApiKeyRule } from './api-keys.ts';

const rule = createApiKeyRule({
  anonKey: 'ANON',
  serviceRoleKey: 'SERVICE',
  publishableKey: 'sb_publishable_p',
  secretKey: 'sb_secret_s',
  kindOfApiKey: (key) => (key === 'sb_secret_further' ? 'secret' : undefined),
});

describe('the API key rule', () => {
  it.each([
    ['a bearer token passes', 'Bearer eyJ', 'sb_secret_s', 'Bearer eyJ'],
    ['another scheme passes', 'Basic abc', 'sb_secret_s', 'Basic abc'],
    ['no authorization, secret key', undefined, 'sb_secret_s', 'Bearer SERVICE'],
    ['no authorization, publishable key', undefined, 'sb_publishable_p', 'Bearer ANON'],
    ['an sb_ bearer gives way to the apikey', 'Bearer sb_publishable_p', 'sb_secret_s', 'Bearer SERVICE'],
    ['any other apikey is copied as it is', undefined, 'eyJ.legacy', 'eyJ.legacy'],
    ['a wrong sb_ key stays what it is', undefined, 'sb_secret_x', 'sb_secret_x'],
    ['an sb_ bearer without apikey is dropped', 'Bearer sb_secret_s', undefined, undefined],
    ['nothing', undefined, undefined, undefined],
  ])('%s', (_name, authorization, apikey, expected) => {
    expect(rule.authorization(authorization, apikey)).toBe(expected);
  });
});

it('an additional key is replaced by the key of its type', () => {
  expect(rule.exchange('sb_secret_further')).toBe(rule.exchange('sb_secret_s'));
  expect(rule.exchange('sb_secret_revoked')).toBe('sb_secret_revoked');
});
