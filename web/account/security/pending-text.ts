import { textOf } from '../../lib/i18n.ts';
import type { messages } from '../../locales/en/pending.ts';

export const t = textOf<keyof typeof messages>();
