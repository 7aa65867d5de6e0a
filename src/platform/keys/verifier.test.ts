import { describe, expect, it } from 'vitest';
import { kindOfToken } from './verifier.ts';

describe('the kind of a token', () => {
  it.each([
    ['access', { typ: 'JWT' }, { role: 'authenticated', sub: 'a', session_id: 's' }],
    ['access', {}, { role: 'anon' }],
    ['access', { typ: 'at+jwt' }, { sub: 'a' }],
    ['access', { typ: 'application/AT+JWT' }, {}],
    // In addition to a role, a project's own tokens can have any claims.
    ['access', { typ: 'jwt' }, { role: 'authenticated', url: 'x/y', auth_time: 1 }],
    ['access', {}, { session_id: 's', auth_time: 1 }],
    ['id', { typ: 'JWT' }, { sub: 'a', aud: 'client', auth_time: 1 }],
    ['signed-url', { typ: 'JWT' }, { url: 'bucket/key', exp: 1 }],
    ['other', { typ: 'logout+jwt' }, { role: 'service_role' }],
    ['other', { typ: '' }, { role: 'service_role' }],
    ['other', { typ: 5 }, { role: 'service_role' }],
  ])('%s: %j %j', (kind, header, claims) => {
    expect(kindOfToken(header, claims)).toBe(kind);
  });
});
