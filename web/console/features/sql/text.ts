import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-sql.ts';

addMessages('en', messages);
export type SqlTextId = keyof typeof messages;
export const t = textOf<SqlTextId>();
