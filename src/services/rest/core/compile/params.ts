/**
 * Describes the parameters of a compiled statement. Each parameter specifies which part of a request of this shape
 * provides its value.
 */

import type { SlotValue } from '../parse/query.ts';
import { limitOffset, type RowRange } from '../parse/range.ts';

export type Param =
  | { readonly kind: 'text'; readonly text: string }
  /** A value from the query string. If `hasWildcards` is true, `*` is replaced with `%`. */
  | { readonly kind: 'slot'; readonly slot: number; readonly hasWildcards: boolean }
  | { readonly kind: 'list'; readonly slot: number }
  | { readonly kind: 'limit' | 'offset'; readonly key: string; readonly maxRows: number | undefined }
  /** The request body. If `hex` is true, the body is encoded in PostgreSQL's hexadecimal bytea format. */
  | { readonly kind: 'body'; readonly hex: boolean }
  | { readonly kind: 'argument'; readonly name: string; readonly variadic: boolean };

/** Whether a parameter is written into a statement's text. */
export type IsConstant = (param: Param) => boolean;

/** The values of a request, which are bound to a statement of the same shape. */
export interface Bindings {
  readonly values: readonly SlotValue[];
  /**
   * The row ranges, each with its limit key. `limit` is the key of the root's range, to which the Range header also
   * applies.
   */
  readonly ranges: ReadonlyMap<string, RowRange>;
  readonly body: Uint8Array | undefined;
  readonly callArguments: readonly (readonly [string, string])[];
}

export type BoundParam = string | Uint8Array | null;

/** Returns a filter's operand as the text that PostgreSQL receives. */
export const operandText = (value: string, hasWildcards: boolean): string =>
  hasWildcards ? value.replaceAll('*', '%') : value;

export function bindParam(param: Param, bindings: Bindings): BoundParam {
  switch (param.kind) {
    case 'text':
      return param.text;
    case 'slot': {
      const value = bindings.values[param.slot] as string;
      return operandText(value, param.hasWildcards);
    }
    case 'list':
      return arrayLiteral(bindings.values[param.slot] as readonly string[]);
    case 'limit':
    case 'offset': {
      const range = bindings.ranges.get(param.key);
      const number = range === undefined ? undefined : limitOffset(range, param.maxRows)[param.kind];
      return number === undefined ? null : String(number);
    }
    case 'body': {
      const body = bindings.body ?? null;
      return body !== null && param.hex ? `\\x${Buffer.from(body).toString('hex')}` : body;
    }
    case 'argument': {
      const given = bindings.callArguments.filter(([name]) => name === param.name).map(([, value]) => value);
      return param.variadic ? arrayLiteral(given) : (given.at(-1) ?? '');
    }
  }
}

/** Formats an array literal such as `{"a","b"}`. Every element is quoted. */
export function arrayLiteral(elements: readonly string[]): string {
  const quoted = elements.map((one) => `"${one.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return `{${quoted.join(',')}}`;
}
