/**
 * Calls pg-delta's planner. Rewords the planner's errors for users, because the original messages are for the planner's
 * developers.
 */
import { plan } from '@supabase/pg-delta/plan';
import { DiffError } from '../errors.ts';

/** Returns pg-delta's plan. @throws {DiffError} if pg-delta can't plan the changes */
export const planOf: typeof plan = (from, to, options) => {
  try {
    return plan(from, to, options);
  } catch (error) {
    throw describePlanError(error as Error);
  }
};

/** The maximum number of statements in an error message, and the maximum number of characters per statement. */
const maxStatements = 4;
const maxCharacters = 80;

export function describePlanError(error: Error): DiffError {
  const [first = '', ...rest] = error.message.split('\n  ');
  if (!first.startsWith('dependency cycle')) {
    const reason = (error.message.split('\n')[0] ?? '').split(' — ')[0] ?? '';
    return new DiffError('change_unsupported', { reason: `${reason.trim().replace(/[.:]$/, '')}.` }, error);
  }
  const statements = rest
    .slice(0, maxStatements)
    .map((text) => text.replaceAll(/\s+/g, ' '))
    .map((text) => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text));
  const more = rest.length > maxStatements ? `; and ${rest.length - maxStatements} others` : '';
  return new DiffError('cycle', { statements: `${statements.join('; ')}${more}.` }, error);
}
