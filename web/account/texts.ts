/**
 * Loads the catalogues of the one language that the page is in. The first part is preloaded with the page, since
 * nothing can be shown without it; the rest comes once the page is there.
 */
import { activateLocale, addMessages, type Catalogue } from '../lib/i18n.ts';
import type { Locale } from '../locales/languages.ts';

type Loaders = Record<string, () => Promise<{ readonly messages: Catalogue }>>;

const first = import.meta.glob('../locales/*/{account,shared}.ts') as Loaders;
const rest = import.meta.glob([
  '../locales/*/*.ts',
  // `plain` is prerendered only.
  '!../locales/*/{account,shared,plain,console}.ts',
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

let loadingRest: Promise<void> | undefined;

/** Every other catalogue; asking again costs nothing. On the server they are all there. */
export function loadRest(): Promise<void> {
  if (typeof document === 'undefined') return Promise.resolve();
  loadingRest ??= load(rest, pageLocale()).catch((error: unknown) => {
    loadingRest = undefined;
    throw error;
  });
  return loadingRest;
}

/** The words for what went wrong, as a chunk of its own: most visits meet no error. */
export async function loadProblems(): Promise<typeof import('./problems.ts')> {
  const [problems] = await Promise.all([import('./problems.ts'), loadRest()]);
  return problems;
}
