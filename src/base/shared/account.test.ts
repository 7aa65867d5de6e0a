import { expect, test } from 'vitest';
import { isAccountPage } from './account.ts';

test.each([
  ['https://api.example.com/account', true],
  ['https://api.example.com/account/with?sso=1', true],
  ['HTTPS://API.example.com:443/a/../account/with', true],
  ['http://api.example.com/account/with', true],
  ['https://api.example.com/accounts', false],
  ['https://api.example.com/', false],
  ['https://app.example.com/account/with', false],
  ['https://api.example.com:8443/account', false],
  ['com.example.app:/account', false],
  ['/account', false],
])('%s', (address, expected) => {
  expect(isAccountPage(address, 'https://api.example.com/account')).toBe(expected);
});

test('all names of this machine are equivalent', () => {
  for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]'])
    expect(isAccountPage(`http://${host}:54321/account/with`, 'http://127.0.0.1:54321/account')).toBe(true);
});
