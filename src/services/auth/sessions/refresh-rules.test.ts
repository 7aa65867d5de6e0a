import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSession, decideRefresh } from './refresh-rules.ts';
import { encodeRefreshToken, hasSignature, parseRefreshToken } from './refresh-token-v2.ts';

const rules = { rotation: true, reuseIntervalMs: 10_000 };
const presented = { token: 'one', revoked: true, updatedAtMs: 100_000, isSuperseded: false };

describe('decideRefresh', () => {
  test('an active token is replaced', () => {
    expect(decideRefresh({ ...presented, revoked: false }, undefined, rules, 9e9)).toEqual({ kind: 'swap' });
  });

  test('the parent of the active token returns the active token at any age', () => {
    expect(decideRefresh(presented, { token: 'two', parent: 'one' }, rules, 9e9)).toEqual({
      kind: 'return-active',
      token: 'two',
    });
  });

  test('a revoked token is replaced within the reuse interval and rejected after it', () => {
    const active = { token: 'three', parent: 'two' };
    expect(decideRefresh(presented, active, rules, 110_000)).toEqual({ kind: 'swap' });
    expect(decideRefresh(presented, active, rules, 110_001)).toEqual({ kind: 'refuse', endsFamily: true });
    expect(decideRefresh(presented, undefined, { ...rules, rotation: false }, 110_001)).toEqual({
      kind: 'refuse',
      endsFamily: false,
    });
  });

  test('a token from before aal2 is always rejected, and ends the family after the interval', () => {
    const old = { ...presented, isSuperseded: true };
    const active = { token: 'two', parent: 'one' };
    expect(decideRefresh(old, active, rules, 100_000)).toEqual({ kind: 'refuse', endsFamily: false });
    expect(decideRefresh(old, active, rules, 110_001)).toEqual({ kind: 'refuse', endsFamily: true });
  });

  test('a token that is neither active nor its parent is never accepted after the interval', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.constantFrom('two', 'three', null)), (age, parent) => {
        const active = parent === null ? undefined : { token: 'four', parent };
        const decision = decideRefresh(presented, active, rules, presented.updatedAtMs + age);
        expect(decision.kind).toBe(age <= rules.reuseIntervalMs ? 'swap' : 'refuse');
      }),
    );
  });
});

describe('checkSession', () => {
  const session = { createdAtMs: 0, refreshedAtMs: 500, notAfterMs: undefined };
  const none = { timeboxMs: 0, inactivityTimeoutMs: 0 };

  test.each([
    [session, none, 9e9, 'valid'],
    [{ ...session, notAfterMs: 1000 }, none, 1001, 'expired'],
    [session, { ...none, timeboxMs: 1000 }, 1000, 'valid'],
    [session, { ...none, timeboxMs: 1000 }, 1001, 'expired'],
    [session, { ...none, inactivityTimeoutMs: 1000 }, 1501, 'inactive'],
    [{ ...session, refreshedAtMs: undefined }, { ...none, inactivityTimeoutMs: 1000 }, 1001, 'inactive'],
  ] as const)('%#', (which, limits, now, validity) => {
    expect(checkSession(which, undefined, limits, now)).toBe(validity);
  });

  test('before the first refresh, the token’s own time is used', () => {
    const fresh = { ...session, refreshedAtMs: undefined };
    expect(checkSession(fresh, 900, { ...none, inactivityTimeoutMs: 1000 }, 1800)).toBe('valid');
  });
});

describe('refresh tokens of format 2', () => {
  const key = Buffer.alloc(32, 1);

  test('parsing reverses printing, and only the right key verifies the token', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat({ max: Number.MAX_SAFE_INTEGER }), (sessionId, counter) => {
        const text = encodeRefreshToken(sessionId, counter, key);
        const token = parseRefreshToken(text);
        expect(token).toMatchObject({ sessionId, counter });
        expect(token && hasSignature(token, key)).toBe(true);
        expect(token && hasSignature(token, Buffer.alloc(32, 2))).toBe(false);
      }),
    );
  });

  test('a token with a changed letter doesn’t belong to the session', () => {
    const text = encodeRefreshToken('6f1c8f0e-8c7a-4b1e-9a57-0f2f7f1d2c3b', 7, key);
    for (let i = 0; i < text.length - 1; i++) {
      const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1);
      expect(parseRefreshToken(changed)).toBeUndefined();
    }
  });

  test('any text is parsed as a token or rejected', () => {
    fc.assert(fc.property(fc.string(), (text) => parseRefreshToken(text) === undefined));
  });
});
