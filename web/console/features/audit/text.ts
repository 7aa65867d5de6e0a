import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-audit.ts';

addMessages('en', messages);

export const t = textOf<keyof typeof messages>();

/** Whether there is a message with this ID. */
export const isMessage = (id: string): id is keyof typeof messages => Object.hasOwn(messages, id);
