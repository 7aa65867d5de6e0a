/**
 * Loads the catalogs for the page's language. The page preloads the first catalogs, because the page can't be shown
 * without them. The other catalogs are loaded later.
 */
import { activateLocale, addMessages, type Catalog } from '../lib/i18n.ts';
import type { Locale } from '../locales/languages.ts';
import type { Problem } from '../ui/error-summary.tsx';
import type * as Problems from './form/problems.ts';
import { t } from './text.ts';

/** The files of a language. The page's markup contains their names in this order. */
const parts = ['first', 'errors', 'rest'] as const;
type Part = (typeof parts)[number];

async function load(part: Part): Promise<void> {
  const locale = pageLocale();
  const { messages } = (await import(/* @vite-ignore */ addressOf(part, locale))) as { messages: Catalog };
  const changed =
    locale === 'pseudo' ? (await import('../locales/pseudo.ts')).pseudoMessages(messages) : messages;
  addMessages(locale, changed);
}

/** Returns the address of a file. While the web app is developed, the files are built on demand. */
function addressOf(part: Part, locale: Locale): string {
  const base = import.meta.env.BASE_URL;
  if (import.meta.env.DEV)
    return `${base}@id/virtual:plinth-texts/${locale === 'pseudo' ? 'en' : locale}/${part}`;
  const names = document.documentElement.dataset.texts?.split(' ') ?? [];
  return `${base}assets/${names[parts.indexOf(part)]}`;
}

/** Returns the locale that the server selected, from the page's markup. */
function pageLocale(): Locale {
  return document.documentElement.dataset.locale as Locale;
}

/** Loads the messages of the first pages. */
export async function loadFirst(): Promise<void> {
  await load('first');
  activateLocale(pageLocale());
}

/**
 * Returns a function that loads a file once, and again only after a failure. During prerendering, all messages are
 * available.
 */
function once(part: Part): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    if (typeof document === 'undefined') return Promise.resolve();
    loading ??= load(part).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

const loadErrors = once('errors');
/** Loads all catalogs that aren't needed for the initial load and don't contain error messages. */
export const loadRest = once('rest');

/** Loads the error messages as a separate chunk, because most visits don't result in an error. */
export async function loadProblems(): Promise<typeof Problems> {
  const [problems] = await Promise.all([import('./form/problems.ts'), loadErrors()]);
  return problems;
}

/** Returns the message for a problem, or a generic message if the catalog failed to load. */
export async function inWords(say: (words: typeof Problems) => Problem): Promise<Problem> {
  const words = await loadProblems().catch(() => undefined);
  return words === undefined ? { text: t('error.part_missing') } : say(words);
}
