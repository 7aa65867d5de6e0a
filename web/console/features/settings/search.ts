/** Searches settings by their labels, search words, keys and help texts. */
import type { SettingsPage } from './api.ts';

export interface Searchable {
  readonly key: string;
  readonly label: string;
  readonly words: string;
  readonly help: string;
}

export interface Found {
  readonly page: SettingsPage;
  readonly partTitle: string | null;
  /** Null if the page itself was found. */
  readonly key: string | null;
  readonly label: string;
}

/** Patterns for spellings and words that have the same meaning, and the word that replaces them. */
const sameWords: readonly (readonly [RegExp, string])[] = [
  [/\b(log ?in|sign ?in|log ?on)\b/g, 'signin'],
  [/\b(log ?out|sign ?out|log ?off)\b/g, 'signout'],
  [/\b(sign ?up|register|registration)\b/g, 'signup'],
  [/\b(e ?mails?|mails?)\b/g, 'email'],
  [/\b(text messages?|texts?)\b/g, 'sms'],
  [/\b(2fa|two factor|multi factor|second factors?)\b/g, 'mfa'],
  [/\b(https|ssl)\b/g, 'tls'],
  [/\b(min)\b/g, 'minimum'],
  [/\b(max)\b/g, 'maximum'],
  [/\b(otp|one time (password|code))s?\b/g, 'code'],
  [/\b(expiry|expiration|expire[sd]?|ttl)\b/g, 'lifetime'],
  [/\b(db)\b/g, 'database'],
];

/** Returns the text in lower case with unified spellings. @example normalized('Log-in e-mails') // 'signin email' */
export function normalized(text: string): string {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  const unified = sameWords.reduce((before, [pattern, word]) => before.replace(pattern, word), plain);
  return unified
    .trim()
    .split(' ')
    .map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word))
    .join(' ');
}

interface Field {
  readonly text: string;
  readonly weight: number;
}

interface Candidate {
  readonly found: Found;
  readonly fields: readonly Field[];
}

/** Returns a function that searches settings and pages, and returns the best matches first. */
export function createSearch(
  pages: readonly SettingsPage[],
  settingOf: (key: string) => Searchable | undefined,
): (query: string) => Found[] {
  const candidates = pages.flatMap((page): Candidate[] => [
    {
      found: { page, partTitle: null, key: null, label: page.title },
      fields: fieldsOf([page.title, 11], [page.words, 4], [page.text, 2]),
    },
    ...page.parts.flatMap((part) => panelCandidates(page, part)),
    ...page.parts.flatMap((part) =>
      part.keys.flatMap((key) => {
        const setting = settingOf(key);
        if (setting === undefined) return [];
        const { label, words, help } = setting;
        const around = `${page.title} ${page.words} ${part.title ?? ''}`;
        return [
          {
            found: { page, partTitle: part.title, key, label },
            fields: fieldsOf([label, 10], [words, 7], [key, 4], [around, 3], [help, 2]),
          },
        ];
      }),
    ),
  ]);
  return (query) => {
    const wanted = normalized(query);
    if (wanted === '') return [];
    return candidates
      .map(({ found, fields }) => ({ found, score: scoreOf(fields, wanted) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ found }) => found);
  };
}

type SettingsPart = SettingsPage['parts'][number];

/** The forms on the pages that aren't settings, with the words for which operators search. */
const panels: Readonly<Record<string, { readonly label: string; readonly words: string }>> = {
  'test-mail': { label: 'Send a test email', words: 'try check smtp message' },
  'test-text': { label: 'Send a test text message', words: 'try check sms phone' },
};

/** Returns the forms of a part. A form is found as the part's first setting, because the form is next to it. */
function panelCandidates(page: SettingsPage, part: SettingsPart): Candidate[] {
  const panel = panels[part.panel?.kind ?? ''];
  if (panel === undefined) return [];
  const { label, words } = panel;
  return [
    {
      found: { page, partTitle: part.title, key: part.keys[0] ?? null, label },
      fields: fieldsOf([label, 12], [words, 7], [`${page.title} ${page.words}`, 3]),
    },
  ];
}

const fieldsOf = (...fields: readonly (readonly [string, number])[]): Field[] =>
  fields.map(([text, weight]) => ({ text: ` ${normalized(text)} `, weight }));

/**
 * Returns the score of a match. Every word must match the start of a word in one of the fields. A match of the whole
 * query has a higher score.
 */
function scoreOf(fields: readonly Field[], wanted: string): number {
  let score = 0;
  for (const word of wanted.split(' ')) {
    const best = Math.max(
      ...fields.map(({ text, weight }) =>
        text.includes(` ${word} `) ? weight : text.includes(` ${word}`) ? weight * 0.7 : 0,
      ),
    );
    if (best === 0) return 0;
    score += best;
  }
  const phrase = Math.max(...fields.map(({ text, weight }) => (text.includes(` ${wanted}`) ? weight : 0)));
  return score + phrase;
}
