/**
 * The languages of the Account pages, emails and text messages, and the choice of a language based on what a user
 * prefers (BCP 47, RFC 4647 and RFC 9110).
 */

interface Language {
  /** The language's name in the language itself. */
  readonly name: string;
  /** The language's name in English, for settings. */
  readonly english: string;
}

/**
 * The complete languages by tag. Each language has a folder in `web/locales/` and a file in
 * `src/services/auth/messages/texts/`, and tests compare these with this list.
 */
export const languages = {
  en: { name: 'English', english: 'English' },
  ar: { name: 'العربية', english: 'Arabic' },
  de: { name: 'Deutsch', english: 'German' },
  es: { name: 'Español', english: 'Spanish' },
  fr: { name: 'Français', english: 'French' },
  hi: { name: 'हिन्दी', english: 'Hindi' },
  id: { name: 'Bahasa Indonesia', english: 'Indonesian' },
  it: { name: 'Italiano', english: 'Italian' },
  ja: { name: '日本語', english: 'Japanese' },
  ko: { name: '한국어', english: 'Korean' },
  'pt-BR': { name: 'Português (Brasil)', english: 'Portuguese (Brazil)' },
  'zh-Hans': { name: '简体中文', english: 'Chinese (Simplified)' },
} as const satisfies Record<string, Language>;

export type LanguageTag = keyof typeof languages;
export const languageTags = Object.keys(languages) as readonly LanguageTag[];

/** Scripts that are written from right to left. */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  rightToLeft.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';

/** Returns the language's name in the language itself. */
export const nameOf = (tag: string): string =>
  Object.hasOwn(languages, tag) ? languages[tag as LanguageTag].name : tag;

/**
 * Returns the available language that a user prefers. Each range in `explicit` is a choice that the user has made, and
 * takes precedence over the `Accept-Language` header. Returns undefined if no language matches.
 *
 * A range matches an available language with the same language and script, so `zh-SG` matches `zh-Hans`, and `pt-PT`
 * matches `pt-BR`. `zh-TW` doesn't match `zh-Hans` as long as another range matches, because a reader of Traditional
 * Chinese may prefer a different language to Simplified Chinese.
 */
export function matchLanguage(
  explicit: readonly (string | null | undefined)[],
  accepted: string | undefined,
  available: readonly string[],
): string | undefined {
  const chosen = explicit.map((range) => range ?? '').filter((range) => range !== '');
  const wanted = [...chosen, ...ranges(accepted ?? '')];
  return lookUp(wanted, available, sameScript) ?? lookUp(wanted, available, () => true);
}

type Rule = (wanted: Intl.Locale, own: Intl.Locale, earlier: readonly Intl.Locale[]) => boolean;

/**
 * Whether two languages have the same script. A range without a script or region, such as the second one in
 * `zh-TW,zh;q=0.9`, means the script of an earlier range.
 */
const sameScript: Rule = (wanted, own, earlier) => {
  const isBare = wanted.script === undefined && wanted.region === undefined;
  const meant = isBare ? earlier.find(({ language }) => language === wanted.language) : undefined;
  return (meant ?? wanted).maximize().script === own.maximize().script;
};

function lookUp(wanted: readonly string[], available: readonly string[], rule: Rule): string | undefined {
  const earlier: Intl.Locale[] = [];
  for (const range of wanted) {
    if (range === '*') return available[0];
    const locale = parse(range);
    if (locale === undefined) continue;
    const exact = available.find((tag) => tag.toLowerCase() === locale.baseName.toLowerCase());
    const own =
      exact ??
      available.find((tag) => {
        const other = parse(tag);
        return other?.language === locale.language && rule(locale, other, earlier);
      });
    if (own !== undefined) return own;
    earlier.push(locale);
  }
  return undefined;
}

/** Returns the language of a tag, or undefined if the tag isn't well-formed. */
function parse(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

/** The length of the part of a header that is read. */
const maxHeaderLength = 1000;
/** The number of ranges that are compared with the available languages. */
const maxRanges = 20;

/**
 * Returns the language ranges of an `Accept-Language` header, most preferred first. Ranges with the weight 0 are
 * excluded.
 */
function ranges(header: string): string[] {
  return header
    .slice(0, maxHeaderLength)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => /^q=/i.test(text))?.slice(2);
      return { range, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxRanges)
    .map(({ range }) => range);
}
