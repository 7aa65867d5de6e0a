/** Loads the catalogues: English with the page, another locale when somebody asks for it. */
import { activateLocale, addMessages, type Catalogue } from '../lib/i18n.ts';
import { messages as account } from '../locales/en/account.ts';
import { messages as shared } from '../locales/en/shared.ts';

const english: Catalogue = { ...shared, ...account };

export function activateEnglish(): void {
  addMessages('en', english);
  activateLocale('en');
}

/** `?locale=pseudo`, for looking at texts that are longer than ours. True when the page is not in English now. */
export async function loadAskedLocale(): Promise<boolean> {
  if (new URLSearchParams(window.location.search).get('locale') !== 'pseudo') return false;
  const { pseudoMessages } = await import('../locales/pseudo.ts');
  addMessages('pseudo', pseudoMessages(english));
  activateLocale('pseudo');
  return true;
}
