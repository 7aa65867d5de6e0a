/**
 * Tests how the Console parses schedules in the browser. The parser must agree with the database on which schedules are
 * valid and when they run next.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { nextRun, parseSchedule } from '../../web/console/features/jobs/schedule.ts';
import { type Backend, startBackend } from './harness.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
  await backend.database.pool('postgres').exec('create extension pg_cron with schema pg_catalog');
});
afterAll(() => backend?.stop());

const minutes = ['*', '*/7', '0', '5,10-12', '59', '60', '1/2', '*/0', '0-59/20', '12-5', 'x', ''];
const days = ['*', '$', '1', '31', '13,$', '*/2', '32', '$-1'];
const weekdays = ['*', '0', '7', 'fri', 'mon-wed', '5-7', '8', 'Sun', '*/3'];
const months = ['*', '2', 'feb', 'JAN,dec', '13', '6-8/2'];
const others = [
  '30 seconds',
  '1 second',
  '60 seconds',
  '0 seconds',
  '@daily',
  '@Daily',
  '@reboot',
  '@never',
  ' * * * * * ',
  '* * * *',
  '',
  '1\t2 3\n4 5',
];

/**
 * Returns schedules with every combination of the listed minutes, days and weekdays, and with varying hours and months.
 */
function schedules(): string[] {
  const found = [...others];
  for (const minute of minutes)
    for (const [index, day] of days.entries())
      for (const [place, weekday] of weekdays.entries())
        found.push(
          `${minute} ${(index * 5 + place) % 25} ${day} ${months[(index + place) % months.length]} ${weekday}`,
        );
  return found;
}

test('the same schedules are valid as in the database', async () => {
  const all = schedules();
  const admin = backend.database.pool('supabase_admin');
  await admin.exec(`
    create function public.is_schedule(text text) returns boolean language plpgsql as
      $$ begin perform cron._parse(text); return true; exception when invalid_parameter_value then return false; end $$`);
  const [row] = await admin.query<{ good: boolean[] }>(
    sql`select array_agg(public.is_schedule(text) order by place) as good
      from unnest(${all}::text[]) with ordinality as each (text, place)`,
  );
  const read = all.map((text) => [text, parseSchedule(text) !== undefined]);
  expect(read).toEqual(all.map((text, index) => [text, row?.good[index]]));
  expect(row?.good.filter(Boolean).length).toBeGreaterThan(200);
});

test.each(['GMT', 'America/New_York'])(
  'the next run is the same as in the database, in %s',
  async (zone) => {
    // These times are shortly before the two clock changes and a leap day.
    const starts = ['2028-02-27T11:11:11Z', '2026-03-07T23:59:59Z', '2026-10-31T20:00:00Z'];
    const times = schedules()
      .map((text) => ({ text, parsed: parseSchedule(text) }))
      .filter((each) => each.parsed?.kind === 'times')
      .filter((_each, index) => index % 41 === 0);
    for (const start of starts) {
      const expected = await backend.database
        .pool('supabase_admin')
        .query<{ text: string; next: string | null }>(sql`
      select text, (
        select to_jsonb(minute) from generate_series(
          date_trunc('minute', ${start}::timestamptz) + interval '1 minute', ${start}::timestamptz + interval '3 days', '1 minute'
        ) minute
        where cron._matches(spec, minute at time zone ${zone}) limit 1) as next
      from unnest(${times.map(({ text }) => text)}::text[]) with ordinality as each (text, place), cron._parse(text) spec
      order by place`);
      const horizon = Date.parse(start) + 3 * 86_400_000;
      const found = times.map(({ text, parsed }) => {
        const next = parsed?.kind === 'times' ? nextRun(parsed, zone, new Date(start)) : undefined;
        return { text, next: next === undefined || next.getTime() > horizon ? null : next.getTime() };
      });
      expect(found).toEqual(
        expected.map(({ text, next }) => ({ text, next: next === null ? null : Date.parse(next) })),
      );
    }
  },
  60_000,
);
