/**
 * Texts by id. Catalogues live in `web/locales/<locale>/<name>.ts`; the build compiles them, so the ICU parser never
 * reaches a browser. Each face makes its own typed `t` from the catalogues it loads.
 *
 * @example
 * export const t = textOf<keyof typeof messages>();
 * t('code.resend-in', { seconds: 12 });
 */
import { setupI18n } from '@lingui/core';

export type Catalogue = Readonly<Record<string, string>>;
export type TextValues = Readonly<Record<string, unknown>>;
type Compiled = Parameters<typeof i18n.load>[1];

/** A missing id is a fault of ours and shows as the id itself; tests look for that. */
export const i18n = setupI18n({ locale: 'en', messages: { en: {} }, missing: (_locale, id) => `⟦${id}⟧` });

/** Adds messages (compiled by the build) to a locale; a page may add more when it is loaded. */
export function addMessages(locale: string, messages: Catalogue): void {
  i18n.load(locale, messages as Compiled);
}

export function activateLocale(locale: string): void {
  i18n.activate(locale, formatLocale(locale));
}

/** Whether the active locale has a text of its own for an id that was not known when this was written. */
export function hasMessage(id: string): boolean {
  return id in i18n.messages;
}

export function textOf<Id extends string>(): (id: Id, values?: TextValues) => string {
  return (id, values) => i18n._(id, values === undefined ? undefined : isolated(values));
}

/** Written from right to left. */
const rightToLeft = new Set(['ar']);

/**
 * Addresses, hosts and names keep their own direction within a text that runs from right to left: each stands between
 * U+2068 and U+2069 (Unicode Bidirectional Algorithm, UAX #9, section 2.7).
 */
function isolated(values: TextValues): Record<string, unknown> {
  if (!rightToLeft.has(i18n.locale)) return { ...values };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? `\u2068${value}\u2069` : value,
    ]),
  );
}

/** Local date and time in words; the exact instant belongs in a `title`. */
export function formatDateTime(instant: string | number | Date): string {
  return new Intl.DateTimeFormat(formatLocale(i18n.locale), {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(new Date(instant));
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** For example "3 hours ago". Below a minute it is "now". */
export function formatRelative(instant: string | number | Date, now: number = Date.now()): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(formatLocale(i18n.locale), { numeric: 'auto' });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/**
 * The language as it is written where the reader is, if the browser says so (`en-GB`). Numbers are in the digits of the
 * codes that people are sent, in every language.
 */
function formatLocale(locale: string): string {
  const language = locale === 'pseudo' ? 'en' : locale;
  // Pages are prerendered for readers everywhere.
  const known = typeof document === 'undefined' ? [] : navigator.languages;
  const own = known.find((tag) => tag.startsWith(`${language}-`)) ?? language;
  return new Intl.Locale(own, { numberingSystem: 'latn' }).toString();
}
