/**
 * Loads the catalogs for the page's language. The page preloads the first catalogs, because the page can't be shown
 * without them. The other catalogs are loaded later.
 */
import { activateLocale, addMessages, type Catalog } from '../lib/i18n.ts';
import type { Locale } from '../locales/languages.ts';
import type { Problem } from '../ui/error-summary.tsx';
import type * as Problems from './form/problems.ts';
import { t } from './text.ts';

type Loaders = Record<string, () => Promise<{ readonly messages: Catalog }>>;

const first = import.meta.glob('../locales/*/{account,shared}.ts') as Loaders;
const errors = import.meta.glob('../locales/*/errors.ts') as Loaders;
const rest = import.meta.glob([
  '../locales/*/*.ts',
  // The catalog `plain` is used only for prerendering.
  '!../locales/*/{account,shared,errors,plain,console*}.ts',
  '!**/*.test.ts',
]) as Loaders;

async function load(loaders: Loaders, locale: Locale): Promise<void> {
  const folder = `../locales/${locale === 'pseudo' ? 'en' : locale}/`;
  const wanted = Object.entries(loaders).filter(([path]) => path.startsWith(folder));
  const catalogs = await Promise.all(wanted.map(([, one]) => one()));
  const messages: Catalog = Object.assign({}, ...catalogs.map((one) => one.messages));
  const changed =
    locale === 'pseudo' ? (await import('../locales/pseudo.ts')).pseudoMessages(messages) : messages;
  addMessages(locale, changed);
}

/** Returns the locale that the server selected, from the page's markup. */
function pageLocale(): Locale {
  return document.documentElement.dataset.locale as Locale;
}

/** Loads the messages of the first pages. */
export async function loadFirst(): Promise<void> {
  const locale = pageLocale();
  await load(first, locale);
  activateLocale(locale);
}

/**
 * Returns a function that runs the loaders once, and again only after a failure. During prerendering, all messages are
 * available.
 */
function once(loaders: Loaders): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    if (typeof document === 'undefined') return Promise.resolve();
    loading ??= load(loaders, pageLocale()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

const loadErrors = once(errors);
/** Loads all catalogs that aren't needed for the initial load and don't contain error messages. */
export const loadRest = once(rest);

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
