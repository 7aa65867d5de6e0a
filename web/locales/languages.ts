/**
 * The languages that the Account pages speak. Each has a folder of catalogs beside this file; the server chooses by
 * the same list (`src/account/core/languages.ts`, a test compares).
 */
export interface Language {
  /** In the language itself. */
  readonly name: string;
  readonly dir: 'ltr' | 'rtl';
}

export const languages = {
  en: { name: 'English', dir: 'ltr' },
  ar: { name: 'العربية', dir: 'rtl' },
} as const satisfies Record<string, Language>;

export type LanguageCode = keyof typeof languages;
export const languageCodes = Object.keys(languages) as readonly LanguageCode[];

/** A language, or the one for tests (`pseudo.ts`). */
export type Locale = LanguageCode | 'pseudo';
export const locales: readonly Locale[] = [...languageCodes, 'pseudo'];
