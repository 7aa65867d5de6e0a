import { addMessages, textOf } from '../../../../lib/i18n.ts';
import { messages } from '../../../../locales/en/console-ask.ts';

addMessages('en', messages);

export const t = textOf<keyof typeof messages>();
