import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-sql-library.ts';

addMessages('en', messages);
export type LibraryTextId = keyof typeof messages;
export const t = textOf<LibraryTextId>();
