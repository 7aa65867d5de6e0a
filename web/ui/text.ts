import { textOf } from '../lib/i18n.ts';
import type { messages } from '../locales/en/shared.ts';

export const t = textOf<keyof typeof messages>();
