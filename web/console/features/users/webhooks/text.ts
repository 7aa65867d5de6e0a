import { addMessages, textOf } from '../../../../lib/i18n.ts';
import type { messages as common } from '../../../../locales/en/console.ts';
import { messages } from '../../../../locales/en/console-webhooks.ts';

addMessages('en', messages);

export const t = textOf<keyof typeof messages | keyof typeof common>();
