/** The kinds of problems that alerts report, and the quiet hours of their receivers. */

/** The kinds, which `problems` in plinth.toml selects. */
const alertKinds = [
  'services',
  'server-errors',
  'jobs',
  'backups',
  'disk',
  'certificates',
  'nodes',
  'sign-in-attacks',
  'statements',
  'security',
  'settings',
] as const;
export type AlertKind = (typeof alertKinds)[number];

export const isAlertKind = (text: string): text is AlertKind => alertKinds.some((kind) => kind === text);

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
