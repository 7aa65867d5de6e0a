/**
 * Chooses a page's language based on the URL, an earlier choice, and the browser's `Accept-Language` header (RFC 9110).
 */

import type { CookieKind } from './cookies.ts';

/**
 * All languages in which the pages are available. A test checks that these languages match `web/locales/languages.ts`.
 */
export const languages = ['en', 'ar'] as const;
/** A locale with longer, accented text for layout tests. This locale is used only if it is explicitly requested. */
export const pseudoLocale = 'pseudo';

const languageMaxAgeSeconds = 365 * 24 * 3600;
/** Stores an explicit language choice. */
export const languageCookie: CookieKind = { name: 'plinth-lang', maxAgeSeconds: languageMaxAgeSeconds };

export interface LanguagePreference {
  /** The value of `?lang=` in the URL. */
  readonly requested: string | null;
  /** The value of the cookie, which an earlier `?lang=` has set. */
  readonly kept: string | undefined;
  /** The `Accept-Language` header. */
  readonly accepted: string | undefined;
}

/** Returns one of the available languages or the pseudo-locale. The default is the first available language. */
export function chooseLanguage(preference: LanguagePreference, available: readonly string[]): string {
  for (const explicit of [preference.requested, preference.kept]) {
    if (explicit === pseudoLocale) return explicit;
    const match = explicit ? availableAs(explicit, available) : undefined;
    if (match !== undefined) return match;
  }
  for (const range of ranges(preference.accepted ?? '')) {
    const match = range === '*' ? available[0] : availableAs(range, available);
    if (match !== undefined) return match;
  }
  return available[0] ?? languages[0];
}

/** Returns the available language for a tag. For example, `ar-EG` matches `ar`. */
function availableAs(tag: string, available: readonly string[]): string | undefined {
  const primary = tag.split('-', 1)[0]?.toLowerCase();
  return available.find((language) => language === primary);
}

/**
 * Returns the language ranges of an `Accept-Language` header, most preferred first. Ranges with the weight 0 are
 * excluded.
 */
function ranges(header: string): string[] {
  return header
    .slice(0, 1000)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => /^q=/i.test(text))?.slice(2);
      return { range, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}
