import { describe, expect, it } from 'vitest';
import { applyApiKey, createApiKeyRule } from './api-keys.ts';

const rule = createApiKeyRule({
  temporaryToken: (role, seconds) => `${role === 'anon' ? 'ANON' : 'SERVICE'} ${seconds}`,
  publishableKey: 'sb_publishable_p',
  secretKey: 'sb_secret_s',
  kindOfApiKey: (key) => (key === 'sb_secret_further' ? 'secret' : undefined),
});

describe('the API key rule', () => {
  it.each([
    ['a bearer token passes', 'Bearer eyJ', 'sb_secret_s', 'Bearer eyJ'],
    ['another scheme passes', 'Basic abc', 'sb_secret_s', 'Basic abc'],
    ['no authorization, secret key', undefined, 'sb_secret_s', 'Bearer SERVICE 120'],
    ['no authorization, publishable key', undefined, 'sb_publishable_p', 'Bearer ANON 120'],
    ['an sb_ bearer gives way to the apikey', 'Bearer sb_publishable_p', 'sb_secret_s', 'Bearer SERVICE 120'],
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

describe('a request’s headers', () => {
  const applied = (headers: Record<string, string>, mount: Parameters<typeof applyApiKey>[2] = {}) => {
    const given = { ...headers };
    applyApiKey(given, rule, mount);
    return given;
  };

  it('don’t contain a secret key, whether or not the key is valid', () => {
    expect(applied({ apikey: 'sb_secret_s', 'x-api-key': 'sb_secret_s' })).toEqual({
      authorization: 'Bearer SERVICE 120',
      apikey: 'sb_secret_...',
      'x-api-key': 'sb_secret_...',
    });
    const unknown = 'sb_secret_a, sb_secret_b';
    const hidden = 'sb_secret_..., sb_secret_...';
    expect(applied({ apikey: unknown })).toEqual({ authorization: hidden, apikey: hidden });
    expect(applied({ authorization: 'Bearer x', apikey: 'sb_secret_s' })).toEqual({
      authorization: 'Bearer x',
      apikey: 'sb_secret_...',
    });
  });

  it('contain publishable keys and the keys in tokens unchanged', () => {
    expect(applied({ apikey: 'sb_publishable_p' })).toEqual({
      authorization: 'Bearer ANON 120',
      apikey: 'sb_publishable_p',
    });
    expect(applied({ authorization: 'Bearer eyJ', apikey: 'eyJ' })).toEqual({
      authorization: 'Bearer eyJ',
      apikey: 'eyJ',
    });
  });

  it('of a service that uses secret keys contain the key, and a token for the service’s time', () => {
    const mount = { receivesSecretKeys: true, apiKeyTokenSeconds: 410 };
    expect(applied({ apikey: 'sb_secret_s' }, mount)).toEqual({
      authorization: 'Bearer SERVICE 410',
      apikey: 'sb_secret_s',
    });
  });
});
