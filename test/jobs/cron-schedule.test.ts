/** Tests how pg_cron schedules are parsed and which minutes they match. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Pool } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
let admin: Pool;
beforeAll(async () => {
  own = await createTestDatabase('cron');
  await own.database.pool('postgres').exec('create extension pg_cron');
  admin = own.database.pool('supabase_admin');
});
afterAll(() => own?.drop());

async function matches(schedule: string, minute: string): Promise<boolean> {
  const [row] = await admin.query<{ yes: boolean }>(
    sql`select cron._matches(cron._parse(${schedule}), ${minute}::timestamp) as yes`,
  );
  return row?.yes as boolean;
}

test.each([
  // 2026-03-31 is a Tuesday.
  ['* * * * *', '2026-03-31 12:34', true],
  ['34 12 * * *', '2026-03-31 12:34', true],
  ['35 12 * * *', '2026-03-31 12:34', false],
  ['*/5 * * * *', '2026-03-31 12:35', true],
  ['*/5 * * * *', '2026-03-31 12:34', false],
  ['0-20/10 * * * *', '2026-03-31 12:20', true],
  ['30 3 * * 6', '2026-04-04 03:30', true],
  ['0 10 * jan,MAR *', '2026-03-31 10:00', true],
  ['0 10 * * mon-wed', '2026-03-31 10:00', true],
  ['0 10 * * 0', '2026-04-05 10:00', true],
  ['0 10 * * 7', '2026-04-05 10:00', true],
  ['0 10 * * sun', '2026-04-05 10:00', true],
  ['0 0 $ * *', '2026-03-31 00:00', true],
  ['0 0 $ * *', '2026-03-30 00:00', false],
  ['0 0 $ * *', '2026-02-28 00:00', true],
  ['0 0 $ * *', '2028-02-28 00:00', false],
  ['0 0 15,$ * *', '2026-03-15 00:00', true],
  // If both day fields are restricted, matching one of them is sufficient. If a day field begins with an asterisk, both
  // must match.
  ['0 0 1 * 2', '2026-03-31 00:00', true],
  ['0 0 1 * 2', '2026-04-01 00:00', true],
  ['0 0 1 * 2', '2026-04-02 00:00', false],
  ['0 0 */2 * 2', '2026-03-31 00:00', true],
  ['0 0 */2 * 2', '2026-03-29 00:00', false],
  ['@hourly', '2026-03-31 12:00', true],
  ['@daily', '2026-03-31 12:00', false],
  ['@weekly', '2026-04-05 00:00', true],
  ['@monthly', '2026-04-01 00:00', true],
  ['@yearly', '2026-01-01 00:00', true],
])('%s matches %s: %s', async (schedule, minute, expected) => {
  expect(await matches(schedule, minute)).toBe(expected);
});

test.each([
  '',
  'nonsense',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '* * * * xyz',
  '*/0 * * * *',
  '5/10 * * * *',
  '1,,2 * * * *',
  '1- * * * *',
  '99999999999 * * * *',
  '0 seconds',
  '60 seconds',
  '5 minutes',
  '@restar',
  "* * * * *'; drop table cron.job",
])('%j is rejected', async (schedule) => {
  await expect(admin.query(sql`select cron.schedule(${schedule}, 'select 1')`)).rejects.toMatchObject({
    code: '22023',
    message: `invalid schedule: ${schedule}`,
    hint: expect.stringContaining('5 4 * * *'),
  });
});

const part = (low: number, high: number) =>
  fc.oneof(
    fc.integer({ min: low, max: high }).map((n) => ({ text: `${n}`, values: [n] })),
    fc
      .tuple(
        fc.integer({ min: low, max: high }),
        fc.integer({ min: low, max: high }),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([a, b, step]) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const values: number[] = [];
        for (let n = from; n <= to; n += step) values.push(n);
        return { text: `${from}-${to}${step === 1 ? '' : `/${step}`}`, values };
      }),
  );
const field = (low: number, high: number) =>
  fc.array(part(low, high), { minLength: 1, maxLength: 3 }).map((parts) => ({
    text: parts.map(({ text }) => text).join(','),
    values: new Set(parts.flatMap(({ values }) => values)),
  }));

test('a schedule matches the minutes that it describes', async () => {
  await fc.assert(
    fc.asyncProperty(
      field(0, 59),
      field(0, 23),
      field(1, 31),
      field(1, 12),
      field(0, 6),
      fc.date({ min: new Date('2000-01-01'), max: new Date('2050-01-01'), noInvalidDate: true }),
      async (minutes, hours, days, months, weekdays, date) => {
        const schedule = [minutes, hours, days, months, weekdays].map(({ text }) => text).join(' ');
        const expected =
          minutes.values.has(date.getUTCMinutes()) &&
          hours.values.has(date.getUTCHours()) &&
          months.values.has(date.getUTCMonth() + 1) &&
          (days.values.has(date.getUTCDate()) || weekdays.values.has(date.getUTCDay()));
        expect(await matches(schedule, date.toISOString().slice(0, 16))).toBe(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test('text is either parsed as a schedule or rejected', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...'0159*/-,$@ \tmonsec'), maxLength: 24 }),
      async (text) => {
        const error = await admin.query(sql`select cron._parse(${text})`).then(
          () => undefined,
          (fault: { code: string }) => fault.code,
        );
        expect([undefined, '22023']).toContain(error);
      },
    ),
    { numRuns: 300 },
  );
});

describe('the next run', () => {
  const due = async (schedule: string, last: string, moment: string, zone = 'GMT'): Promise<unknown> => {
    const [row] = await admin.query(sql`
      select to_char(cron._due(cron._parse(${schedule}), ${last}::timestamptz, ${moment}::timestamptz, ${zone}), 'HH24:MI:SS') as at`);
    return row?.at;
  };

  test.each([
    ['a minute for which it wasn’t due yet', '* * * * *', '11:59:59', '12:00:30', '12:00:00'],
    ['the minute for which it was due', '* * * * *', '12:00:00', '12:00:30', null],
    ['a job that was created in this minute', '* * * * *', '12:00:10', '12:00:30', null],
    ['missed minutes aren’t caught up', '58 11 * * *', '11:00:00', '12:00:00', null],
    ['the clock was set back by a day', '* * * * *', '2026-04-01 12:00:00', '12:00:30', '12:00:00'],
    ['the clock was set back by an hour, every minute', '* * * * *', '13:00:00', '12:00:30', '12:00:00'],
    ['the clock was set back by an hour, a certain hour', '0 12 * * *', '12:00:00', '11:00:00', null],
    ['a certain hour is not repeated', '0 12 * * *', '14:59:00', '12:00:30', null],
    [
      'a certain hour after the clock was set back by a day',
      '0 12 * * *',
      '2026-04-01 12:00:00',
      '12:00:30',
      '12:00:00',
    ],
    ['another server with a clock that is slightly ahead', '* * * * *', '12:01:00', '12:00:59', null],
    ['seconds after the clock was set back', '10 seconds', '13:00:00', '12:00:00', '12:00:00'],
    ['seconds of a clock that is slightly ahead', '10 seconds', '12:00:30', '12:00:00', null],
    ['seconds are counted from the last run', '10 seconds', '12:00:00', '12:00:09.9', null],
    ['seconds that have elapsed', '10 seconds', '12:00:00', '12:00:10', '12:00:10'],
  ])('%s', async (_what, schedule, last, moment, expected) => {
    const lastAt = last.includes(' ') ? last : `2026-03-31 ${last}`;
    expect(await due(schedule, `${lastAt}Z`, `2026-03-31 ${moment}Z`)).toBe(expected);
  });

  test('uses the time zone of cron.timezone', async () => {
    expect(await due('0 9 * * *', '2026-07-01 00:00Z', '2026-07-01 07:00Z', 'Europe/Berlin')).toBe(
      '07:00:00',
    );
    expect(await due('0 9 * * *', '2026-01-01 00:00Z', '2026-01-01 08:00Z', 'Europe/Berlin')).toBe(
      '08:00:00',
    );
    const zone = async () => (await admin.query(sql`select cron._timezone() as zone`))[0]?.zone;
    const postgres = own.database.pool('postgres');
    expect(await zone()).toBe('GMT');
    await postgres.exec(`alter database "${own.name}" set cron.timezone = 'Europe/Berlin'`);
    expect(await zone()).toBe('Europe/Berlin');
    await postgres.exec(`alter database "${own.name}" set cron.timezone = 'Nowhere/At_All'`);
    expect(await zone()).toBe('GMT');
  });
});
