/** Loads the messages of a table's page that aren't part of the initial load. */
import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-tables.ts';
import type { TextId } from '../../text.ts';

addMessages('en', messages);
export type TableTextId = TextId | keyof typeof messages;
export const t = textOf<TableTextId>();
