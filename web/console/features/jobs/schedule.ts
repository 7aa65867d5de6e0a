/**
 * Parses pg_cron schedules as the scheduler does (`src/platform/database/extensions/pg_cron--1.6.4.sql`). The page
 * checks the input while the user types and shows the next run. test/console/schedule.test.ts compares the results with
 * those of the database.
 */

/** The five fields of a Vixie cron schedule. The numbers are sorted, and 0 is Sunday. */
export interface Times {
  readonly kind: 'times';
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** Whether the day-of-month field is `$`. */
  readonly lastDay: boolean;
  /** Whether both day fields are restricted. In that case, a match in one of them is sufficient. */
  readonly eitherDay: boolean;
}

export type Schedule =
  | Times
  | { readonly kind: 'seconds'; readonly every: number }
  /** A job that runs each time the server starts. */
  | { readonly kind: 'start' };

const named: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * Parses a schedule. Returns undefined if the text isn't a valid schedule.
 * @example
 * parseSchedule('30 seconds'); // { kind: 'seconds', every: 30 }
 */
export function parseSchedule(text: string): Schedule | undefined {
  const written = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
  const seconds = /^([1-9]|[1-5][0-9])\s+seconds?$/i.exec(written)?.[1];
  if (seconds !== undefined) return { kind: 'seconds', every: Number(seconds) };
  if (written === '@reboot' || written === '@restart') return { kind: 'start' };
  const fields = (named.get(written) ?? written).split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5) return undefined;
  const dayItems = day.split(',');
  const plainDays = dayItems.filter((item) => item !== '$');
  const minutes = field(minute, 0, 59);
  const hours = field(hour, 0, 23);
  const days = plainDays.length === 0 ? [] : field(plainDays.join(','), 1, 31);
  const months = field(month, 1, 12, monthNames);
  const weekdays = field(weekday, 0, 7, weekdayNames);
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  return {
    kind: 'times',
    minutes,
    hours,
    days,
    months,
    weekdays: sorted(weekdays.map((each) => each % 7)),
    lastDay: plainDays.length < dayItems.length,
    eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
  };
}

/** Parses a field, which is a list of `*`, numbers, names and ranges. A step is allowed only after `*` or a range. */
function field(text: string, low: number, high: number, names: readonly string[] = []): number[] | undefined {
  const found: number[] = [];
  for (const item of text.toLowerCase().split(',')) {
    const parts = /^(?:(\*)|([0-9a-z]{1,9})(?:-([0-9a-z]{1,9}))?)(?:\/([0-9]{1,9}))?$/.exec(item);
    if (parts === null) return undefined;
    const [, star, first, last, stepText] = parts;
    const bounds = [first, last]
      .filter((bound) => bound !== undefined)
      .map((bound) => number(bound, low, names));
    const step = Number(stepText ?? 1);
    if (step === 0 || (stepText !== undefined && bounds.length === 1)) return undefined;
    if (bounds.some((bound) => bound === undefined || bound < low || bound > high)) return undefined;
    const [from = low, to = star === undefined ? from : high] = bounds as number[];
    for (let value = from; value <= to; value += step) found.push(value);
  }
  return sorted(found);
}

function number(text: string, low: number, names: readonly string[]): number | undefined {
  if (/^[0-9]+$/.test(text)) return Number(text);
  const index = names.indexOf(text);
  return index === -1 ? undefined : index + low;
}

const sorted = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Two leap days can be up to eight years apart (1896 to 1904, 2096 to 2104). */
const daysAhead = 8 * 366 + 2;

/**
 * Returns the first minute after `from` that matches the schedule, in the schedule's time zone. Returns undefined if no
 * minute within eight years matches, or if the browser doesn't support the time zone.
 * @example
 * nextRun(parseSchedule('0 3 * * *'), 'GMT', new Date('2026-01-01T10:00:00Z')); // 2026-01-02T03:00:00Z
 */
export function nextRun(times: Times, zone: string, from: Date): Date | undefined {
  const wallOf = clockOf(zone);
  if (wallOf === undefined) return undefined;
  const start = Math.floor(from.getTime() / minuteMs) * minuteMs + minuteMs;
  // The search starts a day earlier because clocks may be set back across midnight.
  const firstDay = Math.floor(wallOf(start) / dayMs) * dayMs - dayMs;
  for (let day = 0; day < daysAhead; day++) {
    const midnight = firstDay + day * dayMs;
    if (!isDay(times, new Date(midnight))) continue;
    const found = firstOf(times, midnight, start, wallOf);
    if (found !== undefined) return new Date(found);
  }
  return undefined;
}

/** Converts an instant to local time. The result is encoded as if the local time were UTC. */
type Clock = (instant: number) => number;

function clockOf(zone: string): Clock | undefined {
  if (/^(GMT|UTC|Etc\/UTC)$/i.test(zone)) return (instant) => instant;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return undefined;
  }
  return (instant) => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

function isDay({ days, months, weekdays, lastDay, eitherDay }: Times, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isLast = new Date(date.getTime() + dayMs).getUTCMonth() !== date.getUTCMonth();
  const onDay = days.includes(date.getUTCDate()) || (lastDay && isLast);
  const onWeekday = weekdays.includes(date.getUTCDay());
  return eitherDay ? onDay || onWeekday : onDay && onWeekday;
}

/** Returns the first instant, not before `start`, at which one of the times of a day occurs. */
function firstOf(
  { hours, minutes }: Times,
  midnight: number,
  start: number,
  wallOf: Clock,
): number | undefined {
  const offsetAt = (instant: number): number => wallOf(instant) - instant;
  const offsets = [...new Set([offsetAt(midnight - dayMs), offsetAt(midnight + 2 * dayMs)])];
  let best: number | undefined;
  for (const hour of hours) {
    for (const minute of minutes) {
      const wall = midnight + (hour * 60 + minute) * minuteMs;
      // On a day when the clocks change, a local time can occur twice or not at all.
      for (const instant of offsets.map((offset) => wall - offset)) {
        if (instant < start || (best !== undefined && instant >= best)) continue;
        if (offsets.length === 1 || wallOf(instant) === wall) best = instant;
      }
      if (best !== undefined && offsets.length === 1) return best;
    }
  }
  return best;
}
