import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scramVerifier } from './logins.ts';

const salt = Buffer.alloc(16, 1);

test('a verifier has PostgreSQL’s format', () => {
  expect(scramVerifier('postgres', salt)).toMatch(
    /^SCRAM-SHA-256\$4096:AQEBAQEBAQEBAQEBAQEBAQ==\$[\w+/]{43}=:[\w+/]{43}=$/,
  );
  expect(scramVerifier('postgres', salt, 1)).toMatch(/^SCRAM-SHA-256\$1:/);
});

test('a verifier matches only its own password', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const isSame = scramVerifier(one, salt, 1) === scramVerifier(other, salt, 1);
      expect(isSame).toBe(one.normalize('NFKC') === other.normalize('NFKC'));
    }),
  );
});
