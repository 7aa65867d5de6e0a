import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-why.ts';

addMessages('en', messages);
export type WhyTextId = keyof typeof messages;
export const t = textOf<WhyTextId>();
