import { expect, test } from 'vitest';
import { createRedact, redactAll } from './redact.ts';

const redact = createRedact({
  serviceRoleKey: 'header.payload.signature',
  secretKey: 'sb_secret_default_key',
  jwtSecret: 'a-jwt-secret',
  s3: { accessKeyId: 'an-id', secretAccessKey: 'an-s3-secret', region: 'local', isWellKnown: false },
});

test.each([
  ['key=sb_secret_default_key', 'key=[secret key]'],
  ['"sb_secret_Another-Key_abc12345"', '"[secret key]"'],
  ['Bearer header.payload.signature', 'Bearer [service_role key]'],
  ['a-jwt-secret and an-s3-secret', '[JWT secret] and [S3 secret]'],
  ['sb_publishable_key', 'sb_publishable_key'],
  ['{"kty":"oct","k":"YS1qd3Qtc2VjcmV0"}', '{"kty":"oct","k":"[JWT secret]"}'],
  [
    'postgresql://postgres:pa55@127.0.0.1:5432/postgres',
    'postgresql://postgres:[password]@127.0.0.1:5432/postgres',
  ],
  ['{"url":"postgres://a.b:x%40y@db/z"}', '{"url":"postgres://a.b:[password]@db/z"}'],
  [
    'postgresql://postgres@127.0.0.1/postgres see https://a:b@c',
    'postgresql://postgres@127.0.0.1/postgres see https://a:b@c',
  ],
])('%s', (text, expected) => expect(redact(text)).toBe(expected));

test('a secret with characters that JSON escapes is masked in text, in JSON, and in JSON within JSON', () => {
  const secret = 'a "quoted" \\ secret\u0007';
  const own = createRedact({
    serviceRoleKey: 'header.payload.signature',
    secretKey: 'sb_secret_default_key',
    jwtSecret: secret,
    s3: { accessKeyId: 'an-id', secretAccessKey: 'an-s3-secret', region: 'local', isWellKnown: false },
  });
  const line = JSON.stringify({ secret });
  expect(own(`is ${secret}`)).toBe('is [JWT secret]');
  expect(redactAll({ at: 1, entries: [{ line, detail: { none: null, secret } }] }, own)).toEqual({
    at: 1,
    entries: [{ line: '{"secret":"[JWT secret]"}', detail: { none: null, secret: '[JWT secret]' } }],
  });
});
