import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeCookie } from './cookies.ts';
import { type Journey, journeyCookie, readJourney, writeJourney } from './journey.ts';

test('an encoded value decodes to itself', () => {
  const journeys = fc.record<Journey>({
    verifier: fc.string(),
    purpose: fc.constantFrom('sign-in', 'link'),
    way: fc.string({ maxLength: 64 }),
    flow: fc.string({ maxLength: 2000 }),
  });
  fc.assert(
    fc.property(journeys, (journey) => {
      expect(readJourney(writeJourney(journey))).toEqual(journey);
    }),
  );
});

test('a cookie with any other content is ignored', () => {
  fc.assert(fc.property(fc.string(), (text) => readJourney(text) === undefined));
  for (const value of ['null', '{}', '{"verifier":1,"purpose":"link","way":"","flow":""}', '[]']) {
    expect(readJourney(Buffer.from(value).toString('base64url'))).toBeUndefined();
  }
});

test('the value fits into a cookie', () => {
  const value = writeJourney({
    verifier: 'v'.repeat(43),
    purpose: 'link',
    way: 'sso',
    flow: 'f'.repeat(9000),
  });
  expect(writeCookie(journeyCookie, value, { secure: true }).length).toBeLessThan(4096);
});
