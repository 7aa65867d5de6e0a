/** Loads the messages for the parts of a table's page that are loaded on demand: forms, editors and menus. */
import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-rows.ts';
import type { TableTextId } from './text.ts';

addMessages('en', messages);
export type RowTextId = TableTextId | keyof typeof messages;
export const t = textOf<RowTextId>();
