import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesVerifier, scramVerifier } from './login.ts';

test('a verifier has the form PostgreSQL keeps', () => {
  expect(scramVerifier('postgres', Buffer.alloc(16, 1))).toMatch(
    /^SCRAM-SHA-256\$4096:AQEBAQEBAQEBAQEBAQEBAQ==\$[\w+/]{43}=:[\w+/]{43}=$/,
  );
});

test('a password matches its own verifier only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const verifier = scramVerifier(one);
      expect(matchesVerifier(verifier, one)).toBe(true);
      expect(matchesVerifier(verifier, other)).toBe(one.normalize('NFKC') === other.normalize('NFKC'));
    }),
    { numRuns: 10 },
  );
});

test.each([null, '', 'md5abc', 'SCRAM-SHA-256$1:x$y:z'])('%j matches nothing', (verifier) => {
  expect(matchesVerifier(verifier, 'postgres')).toBe(false);
});
