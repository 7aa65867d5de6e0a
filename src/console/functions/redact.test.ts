import { expect, test } from 'vitest';
import { createRedact } from './redact.ts';

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
])('%s', (text, expected) => expect(redact(text)).toBe(expected));
