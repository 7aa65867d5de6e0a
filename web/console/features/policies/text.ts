import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-policies.ts';

addMessages('en', messages);
export type PolicyTextId = keyof typeof messages;
export const t = textOf<PolicyTextId>();
