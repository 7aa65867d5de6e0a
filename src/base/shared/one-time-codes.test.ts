import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newRecoveryCode, parseRecoveryCode, recoveryCodeHash } from './one-time-codes.ts';

test('a code consists of four groups of four letters, and codes practically never repeat', () => {
  const codes = Array.from({ length: 1000 }, newRecoveryCode);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  expect(new Set(codes).size).toBe(1000);
});

test('a code is accepted however it is typed', () => {
  const code = 'abcd-2345-efgh-67zz';
  for (const typed of [code, 'ABCD2345EFGH67ZZ', ' abcd 2345\tefgh 67zz\n', 'a-b-c-d-2345efgh67zz']) {
    expect(parseRecoveryCode(typed)).toBe('abcd2345efgh67zz');
  }
  for (const typed of ['', code.slice(1), `${code}a`, 'abcd-0189-efgh-67zz', 'abcd-2345-efgh-67zß']) {
    expect(parseRecoveryCode(typed)).toBeUndefined();
  }
});

test('text is either parsed as a code or rejected, and parsed codes are normalized', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (typed) => {
      const letters = parseRecoveryCode(typed);
      if (letters !== undefined) expect(parseRecoveryCode(letters)).toBe(letters);
    }),
  );
});

test('a hash is valid only for its user', () => {
  const hash = recoveryCodeHash('7b3c4d5e-0000-4000-8000-000000000001', 'abcd2345efgh67zz');
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(recoveryCodeHash('7b3c4d5e-0000-4000-8000-000000000002', 'abcd2345efgh67zz')).not.toBe(hash);
});
