import { addMessages, textOf } from '../../../../lib/i18n.ts';
import { messages } from '../../../../locales/en/console-access.ts';
import type { TextId } from '../../../text.ts';

addMessages('en', messages);

export const t = textOf<TextId | keyof typeof messages>();
