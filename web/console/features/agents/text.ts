import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-agents.ts';
import { messages as operators } from '../../../locales/en/console-operators.ts';

addMessages('en', messages);
// The names of the roles are those of the operators page.
addMessages('en', operators);

export const t = textOf<keyof typeof messages | keyof typeof operators>();
