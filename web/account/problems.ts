/** Errors as people read them. Load it with `loadProblems` of `texts.ts`, which brings the words too. */
import { ApiError } from '../lib/api.ts';
import { hasMessage } from '../lib/i18n.ts';
import { SessionFault } from '../lib/session/index.ts';
import type { Problem } from '../ui/error-summary.tsx';
import { type TextId, t } from './text.ts';

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
  return hasMessage(id) ? t(id as TextId) : t('error.other');
}
