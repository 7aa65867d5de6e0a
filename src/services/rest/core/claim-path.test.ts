import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimAt, readClaimPath } from './claim-path.ts';

const at = (path: string, claims: Record<string, unknown>): string | undefined => {
  const read = readClaimPath(path);
  if (read === undefined) throw new Error(`${path} cannot be read`);
  return claimAt(claims, read);
};

const roles = { realm: { roles: ['other', 'test_author'] }, n: [{ a: 1 }, { a: 2 }, { a: 3 }] };

describe('JSONPath (RFC 9535)', () => {
  test.each([
    ['$.realm.roles[1]', 'test_author'],
    ['$.realm.roles[-1]', 'test_author'],
    ["$['realm']['roles'][0]", 'other'],
    ['$["realm"].roles[?(@ == "test_author")]', 'test_author'],
    ["$.realm.roles[?@ != 'other']", 'test_author'],
    ["$.realm.roles[?search(@, '^test')]", 'test_author'],
    ["$.realm.roles[?search(@, 'nothing')]", undefined],
    ["$.realm.roles[?search(@, '(')]", undefined],
    ['$..roles[1]', 'test_author'],
    ['$.realm.*[1]', 'test_author'],
    ['$.n[?(@.a > 1 && !(@.a >= 3))].a', '2'],
    ['$.n[?@.a == 3 || @.a == 2].a', '2'],
    ['$.n[1:].a', '2'],
    ['$.n[::-1].a', '3'],
    ['$.n[0,2].a', '1'],
    ['$.n[?@.b].a', undefined],
    ['$.n[0]', '{"a":1}'],
    ['$.missing', undefined],
    ['$.realm[0]', undefined],
  ])('%s', (path, value) => {
    expect(at(path, roles)).toBe(value);
    expect(readClaimPath(path)?.isDeprecated).toBe(false);
  });

  test('inherited object members don’t count as a role', () => {
    expect(at('$.constructor', {})).toBeUndefined();
    expect(at('.__proto__', {})).toBeUndefined();
  });
});

describe('the earlier JSPath syntax', () => {
  test.each([
    ['.realm.roles[0]', 'other'],
    ['."realm".roles[?(@ ^== "test")]', 'test_author'],
    ['.realm.roles[?(@ ==^ "author")]', 'test_author'],
    ['.realm.roles[?(@ *== "_")]', 'test_author'],
    ['.realm.roles[?(@ == "none")]', undefined],
    ['.n[?(@ == "1")]', undefined],
  ])('%s', (path, value) => {
    expect(at(path, roles)).toBe(value);
    expect(readClaimPath(path)?.isDeprecated).toBe(true);
  });
});

test.each([
  'role.other',
  '.role##',
  '$.my_role;;domain',
  '@@.role.other',
  '1234',
  '.role[?(@ =)]',
  '',
  '$.a[',
  '$.a[?@..b == 1]',
  '$.a[?length(@) > 1]',
  '$.a[9007199254740993]',
])('%s is rejected', (path) => {
  expect(readClaimPath(path)).toBeUndefined();
});

test('text is either parsed as a path or rejected, and evaluating a path never fails', () => {
  const fragments = fc.constantFrom(
    '$',
    '.',
    '..',
    '[',
    ']',
    '?',
    '(',
    ')',
    '@',
    '"a"',
    "'",
    '0',
    '-1',
    ':',
    '*',
    '==',
    'a',
    '!',
    '&&',
    ' ',
  );
  const text = fc.array(fragments, { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), fc.dictionary(fc.string(), fc.jsonValue()), (path, claims) => {
      const read = readClaimPath(path);
      if (read !== undefined) claimAt(claims, read);
    }),
    { numRuns: 500 },
  );
});
