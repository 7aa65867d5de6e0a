/**
 * Loads the catalogues of the one language that the page is in. The first part is preloaded with the page, since
 * nothing can be shown without it; the rest comes once the page is there.
 */
import { activateLocale, addMessages, type Catalogue } from '../lib/i18n.ts';
import type { Locale } from '../locales/languages.ts';
import type { Problem } from '../ui/error-summary.tsx';
import type * as Problems from './problems.ts';
import { t } from './text.ts';

type Loaders = Record<string, () => Promise<{ readonly messages: Catalogue }>>;

const first = import.meta.glob('../locales/*/{account,shared}.ts') as Loaders;
const errors = import.meta.glob('../locales/*/errors.ts') as Loaders;
const rest = import.meta.glob([
  '../locales/*/*.ts',
  // `plain` is prerendered only.
  '!../locales/*/{account,shared,errors,plain,console*}.ts',
  '!**/*.test.ts',
]) as Loaders;

async function load(loaders: Loaders, locale: Locale): Promise<void> {
  const folder = `../locales/${locale === 'pseudo' ? 'en' : locale}/`;
  const wanted = Object.entries(loaders).filter(([path]) => path.startsWith(folder));
  const catalogues = await Promise.all(wanted.map(([, one]) => one()));
  const messages: Catalogue = Object.assign({}, ...catalogues.map((one) => one.messages));
  const changed =
    locale === 'pseudo' ? (await import('../locales/pseudo.ts')).pseudoMessages(messages) : messages;
  addMessages(locale, changed);
}

/** The locale that the server chose, as the page says. */
function pageLocale(): Locale {
  return document.documentElement.dataset.locale as Locale;
}

/** What every page of the first load needs. */
export async function loadFirst(): Promise<void> {
  const locale = pageLocale();
  await load(first, locale);
  activateLocale(locale);
}

/** Does it once, and again only after a failure. On the server all texts are there. */
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
/** Every catalogue that neither the first load nor an error needs. */
export const loadRest = once(rest);

/** The words for what went wrong, as a chunk of its own: most visits meet no error. */
export async function loadProblems(): Promise<typeof Problems> {
  const [problems] = await Promise.all([import('./problems.ts'), loadErrors()]);
  return problems;
}

/** A problem in words, or that the words did not arrive. */
export async function inWords(say: (words: typeof Problems) => Problem): Promise<Problem> {
  const words = await loadProblems().catch(() => undefined);
  return words === undefined ? { text: t('error.part_missing') } : say(words);
}
