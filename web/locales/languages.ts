/** Types and rules of the languages. Each language has a folder of catalogs next to this file. */

/** The tag of a language, or `pseudo`, the locale for tests (`pseudo.ts`). */
export type Locale = string;

/** Scripts that are written from right to left. The server has the same list, and a test compares the results. */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  rightToLeft.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
