import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Journey, journeyCookieName, readJourney, writeJourney } from './journey.ts';

const textOf = (cookie: string): string => cookie.split(';')[0]?.slice(journeyCookieName.length + 1) ?? '';

test('what is written is read', () => {
  const journeys = fc.record<Journey>({
    verifier: fc.string(),
    purpose: fc.constantFrom('sign-in', 'link'),
    flow: fc.string({ maxLength: 2000 }),
  });
  fc.assert(
    fc.property(journeys, (journey) => {
      expect(readJourney(textOf(writeJourney(journey, { secure: true })))).toEqual(journey);
    }),
  );
});

test('a cookie of anything else is none', () => {
  fc.assert(fc.property(fc.string(), (text) => readJourney(text) === undefined));
  for (const value of ['null', '{}', '{"verifier":1,"purpose":"link","flow":""}', '[]']) {
    expect(readJourney(Buffer.from(value).toString('base64url'))).toBeUndefined();
  }
});

test('it is for our pages alone, and fits into a cookie', () => {
  const cookie = writeJourney(
    { verifier: 'v'.repeat(43), purpose: 'link', flow: 'f'.repeat(9000) },
    { secure: true },
  );
  expect(cookie).toMatch(/; Path=\/account; HttpOnly; SameSite=Lax; Secure$/);
  expect(cookie.length).toBeLessThan(4096);
});
