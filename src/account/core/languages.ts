/** In which language a page is sent: what was asked for, what was chosen before, what the browser wishes (RFC 9110). */

import type { CookieKind } from './cookies.ts';

/** Every language that the pages are built in; `web/locales/languages.ts` has the same (a test compares). */
export const languages = ['en', 'ar'] as const;
/** Longer, accented texts, for tests of layout; shown only to those who ask for it. */
export const pseudoLocale = 'pseudo';

const languageMaxAgeSeconds = 365 * 24 * 3600;
/** Keeps a choice. */
export const languageCookie: CookieKind = { name: 'plinth-lang', maxAgeSeconds: languageMaxAgeSeconds };

export interface LanguageWish {
  /** `?lang=` of the address. */
  readonly asked: string | null;
  /** The cookie that an earlier `?lang=` left. */
  readonly kept: string | undefined;
  /** The `Accept-Language` header. */
  readonly accepted: string | undefined;
}

/** One of `offered` (or the pseudo-locale); the first of them where no wish can be met. */
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

/** `ar-EG` is met by `ar`. */
function offeredAs(tag: string, offered: readonly string[]): string | undefined {
  const primary = tag.split('-', 1)[0]?.toLowerCase();
  return offered.find((language) => language === primary);
}

/** Language ranges of an `Accept-Language` header, the most wished first; those of weight 0 are refusals. */
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
