import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deadlines } from './deadlines.ts';
import { bindingId, parseJoin, parseReplay } from './join.ts';
import { jsonText, type TypeShape } from './json-text.ts';
import { CallWindow, RateAverage } from './rate.ts';
import { checkToken, cleanToken } from './token.ts';

describe('values as JSON text', () => {
  const array = (element: TypeShape): TypeShape => ({ kind: 'array', element, delimiter: ',' });
  test.for<[TypeShape, string | null, string]>([
    [{ kind: 'number' }, '12345678901234567890.10', '12345678901234567890.10'],
    [{ kind: 'number' }, 'NaN', '"NaN"'],
    [{ kind: 'number' }, '-Infinity', '"-Infinity"'],
    [{ kind: 'number' }, '1e+20', '1e+20'],
    [{ kind: 'boolean' }, 'f', 'false'],
    [{ kind: 'json' }, '{"a": 1}', '{"a": 1}'],
    [{ kind: 'timestamp' }, '2026-01-02 03:04:05.1', '"2026-01-02T03:04:05.1"'],
    [{ kind: 'timestamptz' }, '2026-01-02 03:04:05+00', '"2026-01-02T03:04:05+00:00"'],
    [{ kind: 'timestamptz' }, 'infinity', '"infinity"'],
    [{ kind: 'bytea' }, '\\xdead', '"dead"'],
    [{ kind: 'text' }, null, 'null'],
    [array({ kind: 'number' }), '{}', '[]'],
    [array({ kind: 'number' }), '[0:1]={1,2}', '[1,2]'],
    [array({ kind: 'number' }), '{{1,2},{3,NULL}}', '[[1,2],[3,null]]'],
    [array({ kind: 'text' }), '{NULL,"NULL","a\\"b\\\\",c d}', '[null,"NULL","a\\"b\\\\","c d"]'],
  ])('%j %s', ([shape, text, expected]) => {
    expect(jsonText(shape, text)).toBe(expected);
  });

  test('converts arrays of arbitrary texts', () => {
    const literal = (items: readonly string[]): string =>
      `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
    fc.assert(
      fc.property(fc.array(fc.string()), (items) => {
        expect(JSON.parse(jsonText(array({ kind: 'text' }), literal(items)))).toEqual(items);
      }),
    );
  });

  test('converts rows of arbitrary texts and nulls', () => {
    const shape: TypeShape = {
      kind: 'composite',
      attributes: ['a', 'b', 'c'].map((name) => ({ name, shape: { kind: 'text' } })),
    };
    const field = fc.option(fc.string());
    fc.assert(
      fc.property(field, field, field, (...fields) => {
        const text = `(${fields.map((value) => (value === null ? '' : `"${value.replace(/["\\]/g, '$&$&')}"`)).join(',')})`;
        expect(JSON.parse(jsonText(shape, text))).toEqual({ a: fields[0], b: fields[1], c: fields[2] });
      }),
    );
  });
});

test('every join payload is parsed as a request', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, topic) => {
      const request = parseJoin({ kind: 'json', value, text: '' }, topic);
      expect(Array.isArray(request.postgresChanges)).toBe(true);
    }),
  );
  expect(parseJoin({ kind: 'json', value: {}, text: '' }, 'public:t:id=eq.1:2').postgresChanges).toEqual([
    { schema: 'public', table: 't', filter: 'id=eq.1:2' },
  ]);
  const tokens = (value: object) => parseJoin({ kind: 'json', value, text: '' }, 'x').accessToken;
  expect(tokens({ access_token: 'a', user_token: 'u' })).toBe('u');
  expect(tokens({ access_token: 'sb_publishable_x', user_token: 'u' })).toBeUndefined();
  expect(tokens({ access_token: null })).toBeUndefined();
});

test('binding numbers are equal for equal entries, never 0, and have 27 bits', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (entry) => {
      const id = bindingId(entry);
      expect(id).toBe(bindingId({ ...entry }));
      expect(id).toBeGreaterThan(0);
      expect(id).toBeLessThan(2 ** 27);
    }),
  );
});

test('replay parameters are validated', () => {
  expect(parseReplay({ since: 5 })).toEqual({ sinceMs: 5, limit: 25 });
  expect(parseReplay({ since: 5, limit: 99 })?.limit).toBe(25);
  expect(parseReplay({ since: 5, limit: -1 })?.limit).toBe(1);
  for (const value of [null, {}, { since: '5' }, { since: 1.5 }, { since: 5, limit: 'x' }, { since: 9e15 }])
    expect(parseReplay(value)).toBeUndefined();
});

test('rates use an average over a minute and a window for calls, even if the clock jumps', () => {
  const rate = new RateAverage(60);
  for (let second = 0; second < 60; second++) rate.add(1_000_000 + second * 1000, 2);
  expect(rate.perSecond(1_059_000)).toBe(2);
  expect(rate.perSecond(1_089_000)).toBeCloseTo(1, 1);
  rate.add(0, 60); // The clock was set back.
  expect(rate.perSecond(1_089_000)).toBeCloseTo(2, 1);
  expect(rate.perSecond(9_999_999_000)).toBe(0);
  const window = new CallWindow();
  expect([1, 2, 3].map((at) => window.take(at, 2, 100))).toEqual([true, true, false]);
  expect(window.take(102, 2, 100)).toBe(true);
});

test('deadlines expire once, even if the clock jumps', () => {
  const action = fc.record({
    thing: fc.nat(5),
    dueIn: fc.integer({ min: -5000, max: 100_000 }),
    step: fc.integer({ min: -2000, max: 200_000 }),
  });
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      let now = 1_000_000;
      let latest = now;
      const deadlines = new Deadlines<number>(now);
      const pending = new Map<number, number>();
      for (const { thing, dueIn, step } of actions) {
        deadlines.set(thing, now + dueIn);
        pending.set(thing, now + dueIn);
        now += step;
        latest = Math.max(latest, now);
        for (const due of deadlines.takeDue(now)) {
          expect(pending.get(due)).toBeLessThanOrEqual(latest);
          pending.delete(due);
        }
        expect(deadlines.size).toBe(pending.size);
      }
      expect(deadlines.takeDue(latest + 1_000_000).length).toBe(pending.size);
    }),
  );
});

test('tokens must contain the required claims, and errors name the missing ones', () => {
  const match = (claims: Record<string, unknown>, nowMs = 100_000) =>
    checkToken(
      { ok: true, claims, header: { alg: 'HS256' }, claimsJson: JSON.stringify(claims), isOwn: true },
      nowMs,
    );
  expect(match({ role: 'anon', exp: 101 })).toMatchObject({
    ok: true,
    caller: { role: 'anon', expiresAt: 101 },
  });
  expect(match({ role: 'anon', exp: 100 })).toEqual({ ok: false, fault: { kind: 'expired', secondsAgo: 0 } });
  expect(match({ role: 'anon' })).toEqual({ ok: false, fault: { kind: 'missing-claims' } });
  expect(match({ exp: 101 })).toEqual({ ok: false, fault: { kind: 'missing-claims' } });
  expect(match({ role: 'anon', exp: '101' }).ok).toBe(false);
  // Times can have a fraction, and they aren't rounded.
  expect(match({ role: 'anon', exp: 100.4 })).toMatchObject({ ok: true, caller: { expiresAt: 100.4 } });
  expect(match({ role: 'anon', exp: 100.4 }, 100_500)).toMatchObject({
    ok: false,
    fault: { kind: 'expired' },
  });
  expect(match({ role: 'anon', exp: 99.6 })).toEqual({
    ok: false,
    fault: { kind: 'expired', secondsAgo: 0 },
  });
  expect(match({ role: 'anon', exp: 101, nbf: 130 }).ok).toBe(true);
  expect(match({ role: 'anon', exp: 101, nbf: null }).ok).toBe(true);
  expect(match({ role: 'anon', exp: 101, nbf: 130.5 })).toEqual({ ok: false, fault: { kind: 'early' } });
  expect(match({ role: 'anon', exp: 101, nbf: 'x' })).toEqual({ ok: false, fault: { kind: 'signature' } });
  expect(cleanToken('a%2Eb c\n')).toBe('a.bc');
  expect(cleanToken('100%')).toBe('100%');
});
