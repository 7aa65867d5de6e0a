import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { activateLocale } from '../../../lib/i18n.ts';
import { nextRun, parseSchedule, type Times } from './schedule.ts';
import { wordsOf } from './schedule-words.ts';

const next = (text: string, zone: string, from: string): string | undefined =>
  nextRun(parseSchedule(text) as Times, zone, new Date(from))?.toISOString();

describe('the next run of a schedule', () => {
  test.each([
    ['* * * * *', 'GMT', '2026-01-01T10:00:30Z', '2026-01-01T10:01:00.000Z'],
    ['0 3 * * *', 'GMT', '2026-01-01T03:00:00Z', '2026-01-02T03:00:00.000Z'],
    ['59 23 $ * *', 'GMT', '2028-02-10T00:00:00Z', '2028-02-29T23:59:00.000Z'],
    ['0 0 29 2 *', 'GMT', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 29 2 *', 'GMT', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00.000Z'],
    // If both day fields are restricted, a match in one of them is sufficient. Friday the 2nd comes before the 13th.
    ['0 0 13 * fri', 'GMT', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    // An asterisk with a step isn't a restriction, so both day fields must match.
    ['0 0 */2 * mon', 'GMT', '2026-01-01T00:00:00Z', '2026-01-05T00:00:00.000Z'],
    ['0 9 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T07:00:00.000Z'],
    ['0 9 * * *', 'Asia/Kolkata', '2026-07-01T00:00:00Z', '2026-07-01T03:30:00.000Z'],
    // This minute doesn't exist on the day when clocks are set forward, and occurs twice on the day when clocks are set
    // back.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00.000Z'],
    ['* * * * *', 'Europe/Berlin', '2026-10-25T00:59:00Z', '2026-10-25T01:00:00.000Z'],
  ])('of %s in %s after %s', (text, zone, from, expected) => {
    expect(next(text, zone, from)).toBe(expected);
  });

  test('is unknown if it never occurs, or if the time zone is unknown', () => {
    expect(next('0 0 30 2 *', 'GMT', '2026-01-01T00:00:00Z')).toBeUndefined();
    expect(next('* * * * *', 'Nowhere/At all', '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});

test('every text is either a schedule with a description or rejected', () => {
  activateLocale('en');
  const text = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom('*', '0', '7', '*/5', '1-5', '5-1', 'mon', 'jan', '$', '1,$', '99', '1/2', '*/0'),
        {
          minLength: 5,
          maxLength: 5,
        },
      )
      .map((fields) => fields.join(' ')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const words = wordsOf(written);
      expect(words === undefined).toBe(parseSchedule(written) === undefined);
      expect(words ?? '').not.toContain('⟦');
    }),
    { numRuns: 500, examples: [['toString'], ['constructor']] },
  );
});

describe('the description of a schedule', () => {
  beforeAll(() => activateLocale('en'));
  test.each([
    ['1 second', 'Every second'],
    ['30 seconds', 'Every 30 seconds'],
    ['@reboot', 'Whenever the server starts'],
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['@hourly', 'Every hour, on the hour'],
    ['15 * * * *', 'Every hour, at minute 15'],
    ['0 */6 * * *', 'Every 6 hours, on the hour'],
    ['@daily', 'At 00:00, every day'],
    ['0 9,17 * * *', 'At 09:00 and 17:00, every day'],
    ['30 3 * * 1', 'At 03:30, on Monday'],
    ['0 8 * * 1-5', 'At 08:00, Monday–Friday'],
    ['*/15 9-17 * * mon-fri', 'Every 15 minutes during hours 9–17, Monday–Friday'],
    ['@monthly', 'At 00:00, on day 1 of the month'],
    ['0 0 15,$ * *', 'At 00:00, on day 15 and the last day of the month'],
    ['0 0 13 * fri', 'At 00:00, on day 13 of the month and on every Friday'],
    ['@yearly', 'At 00:00, on day 1 of the month, in January'],
    ['0 12 * jun-aug *', 'At 12:00, every day, in June–August'],
    ['soon', undefined],
  ])('%s', (text, expected) => {
    expect(wordsOf(text)).toBe(expected);
  });
});
