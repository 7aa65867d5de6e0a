import { expect, test } from 'vitest';
import { clientOf } from './token.ts';

test.each([
  ['a user', 'authenticated', 'u1', {}, { key: 'u1', isAnonymous: false }],
  [
    'an anonymous user',
    'authenticated',
    'u2',
    { is_anonymous: true },
    { key: '192.0.2.1', isAnonymous: true },
  ],
  ['the publishable key', 'anon', undefined, {}, { key: '192.0.2.1', isAnonymous: true }],
  ['a secret key', 'service_role', undefined, {}, { key: '192.0.2.1', isAnonymous: false }],
])('the client of a request: %s', (_who, role, sub, claims, client) => {
  expect(clientOf({ role, sub, claims }, '192.0.2.1')).toEqual(client);
});

test('an IPv6 address is counted by its network', () => {
  const { key } = clientOf({ role: 'anon', sub: undefined, claims: {} }, '2001:db8::7');
  expect(key).toBe('2001:db8:0:0::/64');
});
