/** The kinds of problems that alerts report, and the quiet hours of their receivers. */

/** The kinds, which `problems` in plinth.toml selects, with a description for the documentation. */
export const alertKinds = {
  services: 'A service fails',
  'server-errors': 'At least 5 requests and 1 % of all requests within ten minutes received a 5xx status',
  jobs: 'The last run of a cron job failed',
  backups: 'Backups fail or are overdue',
  disk: 'The disk is almost full',
  certificates: 'A certificate expires soon, or its renewal fails',
  nodes: 'A node doesn’t answer, or reports a problem',
  'sign-in-attacks': 'Many wrong passwords or codes were entered within ten minutes',
  statements: 'A statement is slow, or has become slower',
  security: 'The advisors found a security problem',
  settings: 'The settings files contain errors, or a sign-in provider is incomplete',
} as const;
export type AlertKind = keyof typeof alertKinds;

export const isAlertKind = (text: string): text is AlertKind => Object.hasOwn(alertKinds, text);

/** A daily period in minutes after midnight. If `from` is later than `until`, the period includes midnight. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

/** Parses a text such as `22:00-07:00`. Returns undefined if the text isn't a period. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  if (found === null) return undefined;
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = found.slice(1).map(Number);
  const hours = { from: fromHour * 60 + fromMinute, until: untilHour * 60 + untilMinute };
  return hours.from === hours.until ? undefined : hours;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

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
