/**
 * Returns messages by ID. Catalogs are in `web/locales/<locale>/<name>.ts`. The build compiles the catalogs, so
 * browsers never load the ICU parser. Each app creates its own typed `t` from the catalogs that it loads.
 * @example export const t = textOf<keyof typeof messages>(); t('code.resend-in', { seconds: 12 });
 */
import { setupI18n } from '@lingui/core';

export type Catalog = Readonly<Record<string, string>>;
export type TextValues = Readonly<Record<string, unknown>>;
type Compiled = Parameters<typeof i18n.load>[1];

/** If a message is missing, its ID is shown. A missing message is a bug, and tests detect it. */
export const i18n = setupI18n({ locale: 'en', messages: { en: {} }, missing: (_locale, id) => `⟦${id}⟧` });

/** Adds compiled messages to a locale. Pages can add messages when they are loaded. */
export function addMessages(locale: string, messages: Catalog): void {
  i18n.load(locale, messages as Compiled);
}

/** The direction of the active locale. */
let isRightToLeft = false;

/** Activates a locale. Its direction is that of the page unless it is given. */
export function activateLocale(locale: string, dir = pageDirection()): void {
  isRightToLeft = dir === 'rtl';
  i18n.activate(locale, formatLocale(locale));
}

const pageDirection = (): string => (typeof document === 'undefined' ? 'ltr' : document.documentElement.dir);

/** Whether the active locale contains a message for an ID that is known only at run time. */
export function hasMessage(id: string): boolean {
  return id in i18n.messages;
}

export function textOf<Id extends string>(): (id: Id, values?: TextValues) => string {
  return (id, values) => i18n._(id, values === undefined ? undefined : isolated(values));
}

/**
 * Marks addresses, hosts and names in right-to-left text, so that they keep their own direction. Each value is enclosed
 * in U+2068 and U+2069 (Unicode Bidirectional Algorithm, UAX #9, section 2.7).
 */
function isolated(values: TextValues): Record<string, unknown> {
  if (!isRightToLeft) return { ...values };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? `\u2068${value}\u2069` : value,
    ]),
  );
}

/** Formats a date and time for the user's region. Use a `title` attribute for the exact time. */
export function formatDateTime(
  instant: string | number | Date,
  timeStyle: 'short' | 'medium' = 'short',
): string {
  return new Intl.DateTimeFormat(formatLocale(i18n.locale), {
    dateStyle: 'medium',
    timeStyle,
  }).format(new Date(instant));
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Formats a relative time, such as "3 hours ago". The result is "now" if less than a minute has passed. */
export function formatRelative(instant: string | number | Date, now: number = Date.now()): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(formatLocale(i18n.locale), { numeric: 'auto' });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/** Formats names as a list, such as "A, B and C". Each name keeps its own text direction. */
export function formatList(names: readonly string[]): string {
  return new Intl.ListFormat(formatLocale(i18n.locale)).format(names.map((name) => `\u2068${name}\u2069`));
}

/**
 * Returns the regional variant of the language from the browser's settings (`en-GB`). Numbers always use Western
 * digits, like the codes that users receive.
 */
export function formatLocale(locale: string): string {
  const language = locale === 'pseudo' ? 'en' : locale;
  // Prerendered pages can't depend on the user's region, so browser settings are ignored.
  const known = typeof document === 'undefined' ? [] : navigator.languages;
  const own = known.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;
  return new Intl.Locale(own, { numberingSystem: 'latn' }).toString();
}
