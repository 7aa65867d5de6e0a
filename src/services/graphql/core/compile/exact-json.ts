/** Parses JSON without losing digits of numbers, which are values of columns here. */

import { arrayLiteral } from '../coerce/slots.ts';
import { GraphqlError } from '../error.ts';

/** A number as it was written. */
class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value,
  );

/**
 * Converts a value from {@link parseExactJson} to PostgreSQL's text format.
 *
 * @throws a GraphqlError for objects and for lists in lists.
 */
export function textOfJson(value: unknown): string | null {
  if (!Array.isArray(value)) return scalarText(value, 'Unexpected object in input value');
  return arrayLiteral(
    value.map((item) => {
      if (Array.isArray(item)) throw new GraphqlError('Unexpected array in input value array');
      return scalarText(item, 'Unexpected object in input value array');
    }),
  );
}

function scalarText(value: unknown, message: string): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'object') throw new GraphqlError(message);
  return String(value);
}
