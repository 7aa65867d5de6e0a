/** Chooses a page's language based on the URL, an earlier choice, and the browser's `Accept-Language` header. */

import { languageTags, matchLanguage } from '../../../base/shared/languages.ts';
import type { CookieKind } from './cookies.ts';

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
  const { requested, kept, accepted } = preference;
  const explicit = [requested, kept];
  const pseudo = explicit.indexOf(pseudoLocale);
  // A choice before the pseudo-locale takes precedence if it is available.
  if (pseudo === 0 || (pseudo === 1 && matchLanguage([requested], undefined, available) === undefined))
    return pseudoLocale;
  return matchLanguage(explicit, accepted, available) ?? available[0] ?? languageTags[0] ?? 'en';
}
