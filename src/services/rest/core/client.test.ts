import { expect, test } from 'vitest';
import { clientOf } from './client.ts';
import type { RestRequest } from './request.ts';

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
