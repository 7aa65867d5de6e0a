import { describe, expect, test } from 'vitest';
import { checkToken, downloadClaims, isValidExpiry, readSignedClaims, uploadClaims } from './tokens.ts';

const now = 1_800_000_000;
const url = 'bucket/a/b.txt';
const download = downloadClaims(url, now, 60);
const upload = uploadClaims(url, { owner: 'me', upsert: true }, now, 60);

describe('the claims of a signed URL', () => {
  test('are valid only for their action and object', () => {
    expect(readSignedClaims(download, 'download', url)).toMatchObject({ url, upsert: false, exp: now + 60 });
    expect(readSignedClaims(upload, 'upload', url)).toMatchObject({ url, upsert: true, owner: 'me' });
    expect(readSignedClaims(download, 'upload', url)).toBe('scope');
    expect(readSignedClaims(upload, 'download', url)).toBe('scope');
    expect(readSignedClaims(download, 'download', 'bucket/a/c.txt')).toBe('url');
    expect(readSignedClaims(download, 'download', 'other/a/b.txt')).toBe('url');
  });
  test('from servers without scopes are recognized by their upsert claim', () => {
    expect(readSignedClaims({ url, exp: now }, 'download', url)).toMatchObject({ scope: 'download' });
    expect(readSignedClaims({ url, exp: now, upsert: false }, 'upload', url)).toMatchObject({
      scope: 'upload',
    });
    expect(readSignedClaims({ url, exp: now }, 'upload', url)).toBe('scope');
    expect(readSignedClaims({ url, exp: now, upsert: false }, 'download', url)).toBe('scope');
  });
  test('without an expiration time are rejected', () => {
    expect(readSignedClaims({ url }, 'download', url)).toBe('expiry');
  });
  test('a session token isn’t a signed URL', () => {
    expect(readSignedClaims({ role: 'service_role', exp: now }, 'download', url)).toBe('url');
  });
});

test('an expiration time must be a valid date', () => {
  expect(isValidExpiry(1, now)).toBe(true);
  expect(isValidExpiry(0, now)).toBe(false);
  expect(isValidExpiry(1.5, now)).toBe(false);
  expect(isValidExpiry(Number.MAX_SAFE_INTEGER, now)).toBe(false);
});

describe('bearer tokens of storage requests', () => {
  const verified = (claims: Record<string, unknown>) => ({
    ok: true as const,
    claims,
    header: { alg: 'HS256' },
    claimsJson: JSON.stringify(claims),
    isOwn: true,
  });
  test.each([
    [{}, undefined],
    [{ exp: now + 1 }, undefined],
    [{ exp: now }, '"exp" claim timestamp check failed'],
    [{ exp: 'soon' }, '"exp" claim must be a number'],
    [{ nbf: now + 1 }, '"nbf" claim timestamp check failed'],
    [{ nbf: now }, undefined],
  ])('%j', (claims, rejection) => {
    const result = checkToken(verified(claims), now * 1000);
    expect('refusal' in result ? result.refusal : undefined).toBe(rejection);
  });
  test.each([
    [{ ok: false, reason: 'malformed', parts: 1 } as const, 'Invalid Compact JWS'],
    [
      { ok: false, reason: 'signature', algorithm: 'HS256', kid: undefined } as const,
      'signature verification failed',
    ],
    [{ ok: false, reason: 'no-key', algorithm: 'ES256', kid: 'x' } as const, 'signature verification failed'],
    [
      { ok: false, reason: 'algorithm', algorithm: 'none' } as const,
      '"alg" (Algorithm) Header Parameter value not allowed',
    ],
  ])('%j', (token, rejection) => {
    expect(checkToken(token, now * 1000)).toEqual({ refusal: rejection });
  });
});
