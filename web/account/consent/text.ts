/** Texts that come with the pages which need them. */
import { addMessages, textOf } from '../../lib/i18n.ts';
import { messages } from '../../locales/en/consent.ts';

addMessages('en', messages);
addMessages('pseudo', messages);

export const t = textOf<keyof typeof messages>();
