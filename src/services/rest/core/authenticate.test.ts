import { expect, test } from 'vitest';
import type { Keys } from '../../../platform/keys/types.ts';
import type { RestError } from '../errors.ts';
import { authenticate, clientOf } from './authenticate.ts';
import { DEFAULT_ROLE_CLAIM } from './claim-path.ts';
import type { RestRequest } from './request.ts';

const now = 1_800_000_000;
const rules = { anonRole: 'anon', audience: undefined, roleClaim: DEFAULT_ROLE_CLAIM };

/** Returns the error message for a token with these claims, or undefined if the token is accepted. */
function faultOf(claims: Record<string, unknown>): string | undefined {
  const verify: Keys['verify'] = () => ({
    ok: true,
    header: { alg: 'HS256' },
    claims,
    claimsJson: '{}',
    isOwn: true,
  });
  try {
    authenticate('Bearer eyJ', verify, rules, now * 1000 + 900);
    return undefined;
  } catch (error) {
    return (error as RestError).message;
  }
}

// The clock skew of 30 seconds is tolerated.
test.each([
  [{ exp: now + 3600.5 }, undefined],
  [{ exp: now - 29.5 }, undefined],
  [{ exp: now - 30.5 }, 'JWT expired'],
  [{ exp: -0.5 }, 'JWT expired'],
  [{ exp: 1e300 }, undefined],
  [{ exp: '1e300' }, "The JWT 'exp' claim must be a number"],
  [{ nbf: now + 29.5, iat: now + 29.5 }, undefined],
  [{ nbf: now + 30.5 }, 'JWT not yet valid'],
  [{ nbf: 1e300 }, 'JWT not yet valid'],
  [{ nbf: true }, "The JWT 'nbf' claim must be a number"],
  [{ iat: now + 30.5 }, 'JWT issued at future'],
  [{ iat: Number.POSITIVE_INFINITY }, 'JWT issued at future'],
  [{ iat: [] }, "The JWT 'iat' claim must be a number"],
  [{ exp: null, nbf: null, iat: null }, undefined],
])('the times in %o are compared as numbers', (claims, fault) => {
  expect(faultOf(claims)).toBe(fault);
});

const request = { address: '2001:db8::1' } as RestRequest;
const network = '2001:db8:0:0::/64';

test.each([
  ['a user', 'authenticated', { sub: 'u1', is_anonymous: false }, { key: 'u1', isAnonymous: false }],
  [
    'an anonymous user',
    'authenticated',
    { sub: 'u2', is_anonymous: true },
    { key: network, isAnonymous: true },
  ],
  ['a request without a user', 'anon', {}, { key: network, isAnonymous: true }],
  ['a secret key', 'service_role', {}, { key: network, isAnonymous: false }],
])('the client of a request: %s', (_name, role, claims, client) => {
  expect(clientOf(request, { role, claims } as Parameters<typeof clientOf>[1], 'anon')).toEqual(client);
});
