/**
 * The languages of the Account pages. Each language has a folder of catalogs next to this file. The server has the same
 * list (`src/pages/account/core/languages.ts`, compared by a test).
 */
export interface Language {
  /** The language's name in the language itself. */
  readonly name: string;
  readonly dir: 'ltr' | 'rtl';
}

export const languages = {
  en: { name: 'English', dir: 'ltr' },
  ar: { name: 'العربية', dir: 'rtl' },
} as const satisfies Record<string, Language>;

export type LanguageCode = keyof typeof languages;
export const languageCodes = Object.keys(languages) as readonly LanguageCode[];

/** A language, or the pseudo-locale for tests (`pseudo.ts`). */
export type Locale = LanguageCode | 'pseudo';
export const locales: readonly Locale[] = [...languageCodes, 'pseudo'];
