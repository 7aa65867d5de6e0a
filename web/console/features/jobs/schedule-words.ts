import { i18n } from '../../../lib/i18n.ts';
import { parseSchedule, type Schedule, type Times } from './schedule.ts';
import { t } from './text.ts';

/** Describes a schedule in words. Returns undefined if the text isn't a schedule. */
export function wordsOf(text: string): string | undefined {
  const schedule = parseSchedule(text);
  return schedule === undefined ? undefined : words(schedule);
}

function words(schedule: Schedule): string {
  if (schedule.kind === 'seconds') return t('schedule.seconds', { count: schedule.every });
  if (schedule.kind === 'start') return t('schedule.start');
  const when = timesOf(schedule);
  const days = daysOf(schedule);
  const months =
    schedule.months.length === 12
      ? undefined
      : list(runs(schedule.months).map((run) => span(run, monthName)));
  if (months !== undefined)
    return t('schedule.when-days-months', { when, days: days ?? t('schedule.every-day'), months });
  if (days !== undefined) return t('schedule.when-days', { when, days });
  return isAtTimes(schedule) ? t('schedule.when-days', { when, days: t('schedule.every-day') }) : when;
}

/** The maximum number of times of day that are listed. More times are described by hours and minutes. */
const maxTimes = 8;

const isAtTimes = ({ hours, minutes }: Times): boolean =>
  hours.length < 24 && hours.length * minutes.length <= maxTimes && stepOf(hours, 24) === undefined;

function timesOf(times: Times): string {
  const { hours, minutes } = times;
  if (isAtTimes(times)) {
    const all = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`));
    return t('schedule.at', { times: list(all) });
  }
  const everyMinutes = minutes.length === 60 ? 1 : stepOf(minutes, 60);
  const everyHours = hours.length === 24 ? 1 : stepOf(hours, 24);
  const hourList = list(runs(hours).map((run) => span(run, String)));
  const minuteList = list(runs(minutes).map((run) => span(run, String)));
  if (everyMinutes !== undefined)
    return everyHours === 1
      ? t('schedule.minutes', { count: everyMinutes })
      : t('schedule.minutes-in', { count: everyMinutes, hours: hourList });
  if (everyHours !== undefined)
    return minutes.length === 1 && minutes[0] === 0
      ? t('schedule.hours', { count: everyHours })
      : t('schedule.hours-at', { count: everyHours, minutes: minuteList });
  return t('schedule.minutes-of', { minutes: minuteList, hours: hourList });
}

/** Describes the days on which a schedule runs. Returns undefined if the schedule runs every day. */
function daysOf({ days, weekdays, lastDay, eitherDay }: Times): string | undefined {
  const everyDay = days.length === 31;
  const everyWeekday = weekdays.length === 7;
  if ((everyDay && everyWeekday) || (eitherDay && (everyDay || everyWeekday))) return undefined;
  const dayList = list([
    ...runs(days).map((run) => t('schedule.day', { day: span(run, String) })),
    ...(lastDay ? [t('schedule.last-day')] : []),
  ]);
  const weekdayRuns = runs(weekdays);
  const weekdayList = list(weekdayRuns.map((run) => span(run, weekdayName)));
  const isRange = weekdayRuns.length === 1 && weekdays.length > 1;
  if (everyDay) return isRange ? weekdayList : t('schedule.on', { weekdays: weekdayList });
  if (everyWeekday) return t('schedule.of-month', { days: dayList });
  return t(eitherDay ? 'schedule.either' : 'schedule.both', { days: dayList, weekdays: weekdayList });
}

/** Returns n if the values are 0, n, 2n and so on, up to the end of the range, and n is greater than 1. */
function stepOf(values: readonly number[], round: number): number | undefined {
  const step = values[1] ?? 0;
  if (values[0] !== 0 || step < 2 || round % step !== 0 || values.length !== round / step) return undefined;
  return values.every((value, index) => value === index * step) ? step : undefined;
}

type Run = readonly [first: number, last: number];

/** Replaces three or more adjacent values with a range. */
function runs(values: readonly number[]): Run[] {
  const found: Run[] = [];
  for (const value of values) {
    const previous = found.at(-1);
    if (previous !== undefined && previous[1] === value - 1) found[found.length - 1] = [previous[0], value];
    else found.push([value, value]);
  }
  return found.flatMap(([first, last]): Run[] =>
    last - first === 1
      ? [
          [first, first],
          [last, last],
        ]
      : [[first, last]],
  );
}

const span = ([first, last]: Run, print: (value: number) => string): string =>
  first === last ? print(first) : `${print(first)}–${print(last)}`;

const two = (value: number): string => String(value).padStart(2, '0');
const list = (items: readonly string[]): string => new Intl.ListFormat(i18n.locale).format(items);
const nameIn = (options: Intl.DateTimeFormatOptions, date: number): string =>
  new Intl.DateTimeFormat(i18n.locale, { ...options, timeZone: 'UTC' }).format(date);
/** Returns a weekday's name. March 1, 2026, is a Sunday. */
const weekdayName = (day: number): string => nameIn({ weekday: 'long' }, Date.UTC(2026, 2, 1 + day));
const monthName = (month: number): string => nameIn({ month: 'long' }, Date.UTC(2026, month - 1, 1));
