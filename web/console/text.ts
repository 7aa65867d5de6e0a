import { textOf } from '../lib/i18n.ts';
import type { messages } from '../locales/en/console.ts';

export type TextId = keyof typeof messages;
export const t = textOf<TextId>();
