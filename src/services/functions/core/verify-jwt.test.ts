import { describe, expect, it } from 'vitest';
import type { VerifiedToken } from '../../../platform/keys/types.ts';
import { checkAuthorization } from './verify-jwt.ts';

const now = 1_000_000_000_000;
const good = (alg: string, claims: object): VerifiedToken => ({
  ok: true,
  claims: { ...claims },
  header: { alg },
  claimsJson: '{}',
  isOwn: true,
});
const code = (authorization: string | undefined, result: VerifiedToken) =>
  checkAuthorization(authorization, () => result, now)?.code;

describe('the setting verify_jwt', () => {
  it.each<[string, string | undefined, VerifiedToken, string | undefined]>([
    ['nothing sent', undefined, good('HS256', {}), 'UNAUTHORIZED_NO_AUTH_HEADER'],
    ['another scheme', 'Basic abc', good('HS256', {}), 'UNAUTHORIZED_INVALID_JWT_FORMAT'],
    [
      'not a JWT',
      'Bearer abc',
      { ok: false, reason: 'malformed', parts: 1 },
      'UNAUTHORIZED_INVALID_JWT_FORMAT',
    ],
    [
      'bad signature',
      'Bearer a.b.c',
      { ok: false, reason: 'signature', algorithm: 'HS256', kid: undefined },
      'UNAUTHORIZED_LEGACY_JWT',
    ],
    [
      'bad ES256 signature',
      'Bearer a.b.c',
      { ok: false, reason: 'signature', algorithm: 'ES256', kid: 'k' },
      'UNAUTHORIZED_ASYMMETRIC_JWT',
    ],
    ['expired', 'Bearer a.b.c', good('HS256', { exp: now / 1000 }), 'UNAUTHORIZED_LEGACY_JWT'],
    [
      'an exp that isn’t a number',
      'Bearer a.b.c',
      good('ES256', { exp: 'never' }),
      'UNAUTHORIZED_ASYMMETRIC_JWT',
    ],
    ['not valid yet', 'Bearer a.b.c', good('HS256', { nbf: now / 1000 + 1 }), 'UNAUTHORIZED_LEGACY_JWT'],
    [
      'an nbf that isn’t a number',
      'Bearer a.b.c',
      good('ES256', { nbf: '1' }),
      'UNAUTHORIZED_ASYMMETRIC_JWT',
    ],
    ['valid from now on', 'Bearer a.b.c', good('HS256', { nbf: now / 1000 }), undefined],
    [
      'alg none',
      'Bearer a.b.c',
      { ok: false, reason: 'algorithm', algorithm: 'none' },
      'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM',
    ],
    [
      'an algorithm functions do not take',
      'Bearer a.b.c',
      good('HS512', {}),
      'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM',
    ],
    ['no role and no exp', 'bearer a.b.c', good('HS256', {}), undefined],
    ['still valid', 'Bearer a.b.c', good('RS256', { exp: now / 1000 + 1 }), undefined],
  ])('%s', (_name, authorization, result, expected) => {
    expect(code(authorization, result)).toBe(expected);
  });
});
