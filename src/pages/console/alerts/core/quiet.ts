/** Finds the end of the quiet hours in which a receiver gets no alerts. */
import type { QuietHours } from '../../../../base/shared/alerts.ts';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * Returns when a message may be sent, in milliseconds since the epoch: `nowMs`, or the end of the quiet hours. On the day
 * on which clocks change, the result can be an hour off.
 */
export function endOfQuiet(hours: QuietHours | undefined, timeZone: string, nowMs: number): number {
  if (hours === undefined) return nowMs;
  const minute = minuteOfDay(timeZone, nowMs);
  const { from, until } = hours;
  const isQuiet = from < until ? minute >= from && minute < until : minute >= from || minute < until;
  if (!isQuiet) return nowMs;
  const wait = (until - minute + dayMinutes) % dayMinutes;
  return Math.floor(nowMs / minuteMs) * minuteMs + wait * minuteMs;
}

function minuteOfDay(timeZone: string, nowMs: number): number {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' },
  }).formatToParts(nowMs);
  const value = (type: 'hour' | 'minute'): number => Number(parts.find((part) => part.type === type)?.value);
  return value('hour') * 60 + value('minute');
}
