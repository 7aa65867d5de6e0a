/** Chooses a page's language from the address, an earlier choice and the browser's preferences (RFC 9110). */

import type { CookieKind } from './cookies.ts';

/** All languages in which the pages are built, matching `web/locales/languages.ts` (compared by a test). */
export const languages = ['en', 'ar'] as const;
/** A locale with longer, accented texts for layout tests. Used only on request. */
export const pseudoLocale = 'pseudo';

const languageMaxAgeSeconds = 365 * 24 * 3600;
/** Stores an explicit choice. */
export const languageCookie: CookieKind = { name: 'plinth-lang', maxAgeSeconds: languageMaxAgeSeconds };

export interface LanguageWish {
  /** `?lang=` in the address. */
  readonly asked: string | null;
  /** The cookie set by an earlier `?lang=`. */
  readonly kept: string | undefined;
  /** The `Accept-Language` header. */
  readonly accepted: string | undefined;
}

/** Returns one of `offered` or the pseudo-locale. Defaults to the first of `offered`. */
export function chooseLanguage(wish: LanguageWish, offered: readonly string[]): string {
  for (const explicit of [wish.asked, wish.kept]) {
    if (explicit === pseudoLocale) return explicit;
    const match = explicit ? offeredAs(explicit, offered) : undefined;
    if (match !== undefined) return match;
  }
  for (const range of ranges(wish.accepted ?? '')) {
    const match = range === '*' ? offered[0] : offeredAs(range, offered);
    if (match !== undefined) return match;
  }
  return offered[0] ?? languages[0];
}

/** `ar-EG` matches `ar`. */
function offeredAs(tag: string, offered: readonly string[]): string | undefined {
  const primary = tag.split('-', 1)[0]?.toLowerCase();
  return offered.find((language) => language === primary);
}

/** Returns the language ranges of an `Accept-Language` header, most preferred first, excluding those with weight 0. */
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
