import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-palette.ts';

addMessages('en', messages);
export type PaletteTextId = keyof typeof messages;
export const t = textOf<PaletteTextId>();
