/**
 * Parses and prints dates and times in PostgreSQL's ISO format. The fraction remains text, so changes preserve
 * microseconds. Values in other formats, such as `infinity` and BC years, aren't parsed.
 */

export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The digits after the decimal point. */
  readonly fraction: string;
}

export interface Moment extends Day, ClockTime {
  /** Minutes east of UTC. Undefined if the text doesn't contain an offset. */
  readonly offset: number | undefined;
}

const datePattern = String.raw`(\d{4,6})-(\d\d)-(\d\d)`;
const timePattern = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?`;
const offsetPattern = String.raw`(z|[+-]\d\d(?::?\d\d)?)?`;
const day = new RegExp(`^${datePattern}$`);
const time = new RegExp(String.raw`^${timePattern}\s*${offsetPattern}$`, 'i');
const moment = new RegExp(String.raw`^${datePattern}(?:[ t]${timePattern})?\s*${offsetPattern}$`, 'i');

export function parseDay(text: string): Day | undefined {
  const found = day.exec(text.trim());
  return found === null ? undefined : dayOf(found.slice(1));
}

export function parseTime(text: string): (ClockTime & Pick<Moment, 'offset'>) | undefined {
  const found = time.exec(text.trim());
  const parts = found === null ? undefined : timeOf(found.slice(1));
  return parts && { ...parts, offset: offsetOf(found?.[5]) };
}

export function parseMoment(text: string): Moment | undefined {
  const found = moment.exec(text.trim());
  if (found === null) return undefined;
  const date = dayOf(found.slice(1));
  const parts = timeOf(found.slice(4));
  return date && parts && { ...date, ...parts, offset: offsetOf(found[8]) };
}

function dayOf([year, month, date]: readonly string[]): Day | undefined {
  const found = { year: Number(year), month: Number(month), day: Number(date) };
  const last = new Date(Date.UTC(found.year, found.month, 0)).getUTCDate();
  return found.month >= 1 && found.month <= 12 && found.day >= 1 && found.day <= last ? found : undefined;
}

function timeOf([hour, minute, second, fraction]: readonly (string | undefined)[]): ClockTime | undefined {
  const found = {
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    fraction: fraction ?? '',
  };
  return found.hour <= 24 && found.minute <= 59 && found.second <= 60 ? found : undefined;
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text.toLowerCase() === 'z') return 0;
  const [hours = 0, minutes = 0] = [text.slice(1, 3), text.slice(3).replace(':', '')].map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const two = (value: number): string => String(value).padStart(2, '0');

export const printDay = ({ year, month, day: date }: Day): string =>
  `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`;

/** Returns the time without fractions of a second, in the format of a `time` field. */
export const printSeconds = ({ hour, minute, second }: ClockTime): string =>
  `${two(hour)}:${two(minute)}:${two(second)}`;

export const printTime = (clock: ClockTime): string =>
  printSeconds(clock) + (clock.fraction === '' ? '' : `.${clock.fraction}`);

export function printOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${rest}`;
}

export const printMoment = (value: Moment): string =>
  `${printDay(value)} ${printTime(value)}${value.offset === undefined ? '' : printOffset(value.offset)}`;

export type Zone = 'local' | 'utc';

/** Returns a zone's UTC offset at an instant, in minutes. */
const zoneOffset = (zone: Zone, utcMs: number): number =>
  zone === 'utc' ? 0 : -new Date(utcMs).getTimezoneOffset();

function utcMs(value: Day & ClockTime, offset: number): number {
  const date = new Date(0);
  date.setUTCFullYear(value.year, value.month - 1, value.day);
  return date.setUTCHours(value.hour, value.minute - offset, value.second);
}

/** Converts an instant to another zone. A value without an offset is in UTC, like the server's sessions. */
export function inZone(value: Moment, zone: Zone): Moment {
  const instant = utcMs(value, value.offset ?? 0);
  const offset = zoneOffset(zone, instant);
  const shifted = new Date(instant + offset * 60_000);
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    fraction: value.fraction,
    offset,
  };
}

/** Returns the moment at which the clocks of a zone show this date and time. */
export function atZone(value: Day & ClockTime, zone: Zone): Moment {
  const local = new Date(2000, 0, 1);
  local.setFullYear(value.year, value.month - 1, value.day);
  local.setHours(value.hour, value.minute, value.second, 0);
  return { ...value, offset: zone === 'utc' ? 0 : -local.getTimezoneOffset() };
}

export function now(zone: Zone, ms: number): Moment {
  const date = new Date(ms);
  const fraction = String(date.getUTCMilliseconds()).padStart(3, '0');
  return inZone(
    {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      fraction,
      offset: 0,
    },
    zone,
  );
}
