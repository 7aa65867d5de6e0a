import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  boundedDetail,
  changedKeys,
  changedValue,
  hiddenChange,
  maskedJson,
  maskPasswords,
} from './changed-values.ts';

test('a changed value is a short text that PostgreSQL accepts', () => {
  expect(changedValue('auth.jwt_expiry', undefined, 7200)).toEqual({
    name: 'auth.jwt_expiry',
    from: null,
    to: '7200',
  });
  const { to } = changedValue('a', 'x', `${'x'.repeat(299)}😀${'y'.repeat(1_000_000)}\0`);
  expect(to).toMatch(/^x{299}\ufffd… \(1000302 characters in all\)$/);
  expect(changedValue('a', '\0<b>', ['<b>']).from).toBe('\ufffd<b>');
});

test('the password in a URL is masked', () => {
  expect(changedValue('uri', null, 'https://me:pass@host/x and smtp://u:p@h').to).toBe(
    'https://••••••@host/x and smtp://••••••@h',
  );
});

test('metadata changes contain keys without values', () => {
  expect(
    changedKeys('app_metadata', { plan: 'free', old: 1, same: [1] }, { plan: 'pro', same: [1], new: 2 }),
  ).toEqual([
    { name: 'app_metadata.plan', hidden: 'changed' },
    { name: 'app_metadata.old', hidden: 'removed' },
    { name: 'app_metadata.new', hidden: 'set' },
  ]);
  expect(hiddenChange('password', true, true)).toEqual({ name: 'password', hidden: 'changed' });
});

test('details of any size are limited', () => {
  const deep = { keys: Array.from({ length: 1000 }, (_, id) => ({ id: `${id}`.repeat(5000) })), count: 1000 };
  const detail = boundedDetail(deep) as typeof deep;
  expect(JSON.stringify(detail).length).toBeLessThan(64_000);
  expect(detail.count).toBe(1000);
  expect(detail.keys.at(-1)).toBe('… (1000 in all)');
  expect(boundedDetail({ at: 1, list: ['a'], none: null })).toEqual({ at: 1, list: ['a'], none: null });
});

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
