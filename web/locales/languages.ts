/** Types and rules of the languages. Each language has a folder of catalogs next to this file. */
import type { LanguageTag } from '../../src/base/shared/languages.ts';

export type LanguageCode = LanguageTag;

/** A language, or the pseudo-locale for tests (`pseudo.ts`). */
export type Locale = LanguageCode | 'pseudo';

/** Scripts that are written from right to left. The server has the same list, and a test compares the results. */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  rightToLeft.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
