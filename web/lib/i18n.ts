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
  i18n.activate(locale);
}

export function textOf<Id extends string>(): (id: Id, values?: TextValues) => string {
  return (id, values) => i18n._(id, values as Record<string, unknown> | undefined);
}

/** Local date and time in words; the exact instant belongs in a `title`. */
export function formatDateTime(instant: string | number | Date): string {
  return new Intl.DateTimeFormat(formatLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(instant),
  );
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
  const format = new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'auto' });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return format.format(0, 'second');
}

function formatLocale(): string {
  return i18n.locale === 'pseudo' ? 'en' : i18n.locale;
}
