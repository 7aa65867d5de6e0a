import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedJson, maskPasswords } from './mask-passwords.ts';

test.each([
  ['postgres://user:p@ss@host/db', 'postgres://••••••@host/db'],
  ['postgres://user:p/a?s#s@host/db?sslmode=require', 'postgres://••••••@host/db?sslmode=require'],
  ['smtp://ada@example.com:1/2@host', 'smtp://••••••@host'],
  ['redis://:pass word@host', 'redis://••••••@host'],
  ['https://token@host/@name', 'https://••••••@host/@name'],
  ['https://me:p@h/x and smtp://u:p@ss@h', 'https://••••••@h/x and smtp://••••••@h'],
  ['user:p@ss@host:5432/db', 'user:••••••@host:5432/db'],
  ['uri=//user:p/ss@host', 'uri=//user:••••••@host'],
  ['https://example.com/@name?a=1', 'https://example.com/@name?a=1'],
  [
    'Open http://localhost:3000/** or ask ada@example.com',
    'Open http://localhost:3000/** or ask ada@example.com',
  ],
  ['30 4 * * 1', '30 4 * * 1'],
])('%s is recorded as %s', (text, expected) => {
  expect(maskPasswords(text)).toBe(expected);
});

test('each URL in a list is masked separately', () => {
  expect(maskedJson(['https://me:p"@h', { 'https://me:p@h': 'https://host/@name' }])).toBe(
    '["https://••••••@h",{"https://••••••@h":"https://host/@name"}]',
  );
});

const word = fc.stringMatching(/^[a-z]{1,8}$/);
/** Marks every character of a password, so that any part of it is found in the result. */
const password = fc
  .array(fc.constantFrom('@', '/', '?', '#', ':', '%', '://', '"', ',', '&', '=', '[', '\\'), {
    maxLength: 8,
  })
  .map((parts) => `Ψ${parts.map((part) => `${part}Ψ`).join('')}`);
const login = fc.tuple(word, password, word).map(([user, secret, host]) => `${user}:${secret}@${host}.test`);
const url = fc
  .tuple(word, login, fc.constantFrom('', '/', '/db?a=b#c'))
  .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`);

test('no part of a password remains', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(url, login, word), { minLength: 1, maxLength: 4 }), (words) => {
      const text = `see ${words.join(' ')}`;
      for (const masked of [maskPasswords(text), maskPasswords(words.join(' ')), maskedJson(words)])
        expect(masked).not.toContain('Ψ');
      for (const each of words.filter((each) => !each.includes('@')))
        expect(maskPasswords(text).split(' ')).toContain(each);
    }),
  );
  fc.assert(
    fc.property(word, password, word, (user, secret, host) => {
      expect(maskPasswords(`smtp://${user}:${secret.replaceAll('/', '')} Ψ@${host}`)).toBe(
        `smtp://••••••@${host}`,
      );
    }),
  );
});
