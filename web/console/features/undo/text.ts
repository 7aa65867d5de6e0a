import { addMessages, textOf } from '../../../lib/i18n.ts';
import { messages } from '../../../locales/en/console-undo.ts';

addMessages('en', messages);

export const t = textOf<keyof typeof messages>();

/** Returns the words for an action. */
export function actionText(action: string): string {
  const id = `undo.did.${action}`;
  return isMessage(id) ? t(id) : action;
}

const isMessage = (id: string): id is keyof typeof messages => Object.hasOwn(messages, id);
