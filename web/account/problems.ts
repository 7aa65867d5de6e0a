/** Errors as people read them. A chunk of its own: most visits meet none. */
import { ApiError } from '../lib/api.ts';
import { addMessages, textOf } from '../lib/i18n.ts';
import { SessionFault } from '../lib/session/index.ts';
import { messages } from '../locales/en/errors.ts';
import type { Problem } from '../ui/error-summary.tsx';

addMessages('en', messages);
addMessages('pseudo', messages);

const t = textOf<keyof typeof messages>();

/** Where a problem belongs, by the code that says so. */
export type FieldOf = Readonly<Record<string, string>>;

export function problemOf(error: unknown, fields: FieldOf = {}): Problem {
  if (error instanceof ApiError) {
    const { code, requestId } = error;
    return { text: textFor(code), code, requestId, fieldId: fields[code] };
  }
  if (error instanceof SessionFault) return { text: textFor(error.code), code: error.message };
  return { text: t('error.other') };
}

function textFor(code: string): string {
  const id = `error.${code}`;
  return id in messages ? t(id as keyof typeof messages) : t('error.other');
}
