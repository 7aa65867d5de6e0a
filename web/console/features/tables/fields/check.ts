/**
 * Checks values before they are sent. The form can then show a problem next to its field. Values of types that aren't
 * listed here are checked only by the database.
 */
import type { CellChange, Column } from '../../../api/types.ts';
import { mayBeEmpty } from '../cells.ts';
import type { TableTextId } from '../text.ts';
import { parseArray } from './array-text.ts';
import { jsonProblem } from './json-text.ts';
import { elementOf, type Kind, kindOf } from './kinds.ts';
import { parseDay, parseMoment, parseTime } from './moments.ts';

/** The value of a field in a form. In a new row, a required column without a default is missing at first. */
export type Draft = CellChange | { readonly missing: true };

export const missing: Draft = { missing: true };

export const isGiven = (draft: Draft): draft is CellChange => !('missing' in draft);

export interface Problem {
  readonly id: TableTextId;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the problem with a field's value, or undefined if the value is valid. `mayBeSet` specifies whether a trigger
 * can set the column if the insert omits it.
 */
export function checkDraft(column: Column, draft: Draft, mayBeSet = false): Problem | undefined {
  if (!isGiven(draft)) return mayBeSet ? undefined : { id: 'check.required' };
  if ('default' in draft) return undefined;
  if (draft.value === null) return column.nullable || mayBeSet ? undefined : { id: 'check.required' };
  return checkText(column, draft.value);
}

export function checkText(column: Column, text: string): Problem | undefined {
  if (text.trim() === '' && !mayBeEmpty(column)) return { id: 'check.required' };
  return checks[kindOf(column)]?.(text, column);
}

/** Whether the text contains words. PostgreSQL accepts month names and words such as `now` and `infinity`. */
const hasWords = (text: string): boolean => /[a-z]{3}/i.test(text);

const checks: Readonly<Partial<Record<Kind, (text: string, column: Column) => Problem | undefined>>> = {
  number: checkNumber,
  text: checkLength,
  uuid: (text) =>
    /^\{?[\da-f]{4}(?:-?[\da-f]{4}){7}\}?$/i.test(text.trim()) ? undefined : { id: 'check.uuid' },
  boolean: (text) =>
    /^\s*(t|true|f|false|y|yes|n|no|on|off|1|0)\s*$/i.test(text) ? undefined : { id: 'check.boolean' },
  choice: (text, { enum_values }) =>
    enum_values === null || enum_values.includes(text) ? undefined : { id: 'check.choice' },
  date: (text) =>
    hasWords(text) || parseDay(text) !== undefined || parseMoment(text) !== undefined
      ? undefined
      : { id: 'check.date' },
  time: (text) => (hasWords(text) || parseTime(text) !== undefined ? undefined : { id: 'check.time' }),
  timestamp: (text) =>
    hasWords(text) || parseMoment(text) !== undefined ? undefined : { id: 'check.timestamp' },
  json(text) {
    const reason = jsonProblem(text);
    return reason === undefined ? undefined : { id: 'check.json', values: { reason } };
  },
  bytes: (text) =>
    !text.startsWith('\\x') || /^\\x(?:\s*[\da-f]{2})*\s*$/i.test(text) ? undefined : { id: 'check.bytes' },
  array: checkArray,
};

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  oid: [0n, 2n ** 32n - 1n],
};

function checkNumber(text: string, { type }: Column): Problem | undefined {
  const number = text.trim().replaceAll('_', '');
  const range = integerRanges[type];
  if (range === undefined) {
    const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number);
    return isNumber || /^(?:nan|[+-]?inf(?:inity)?|[+-]?0[xob][\da-f]+)$/i.test(number)
      ? undefined
      : { id: 'check.number' };
  }
  if (/^[+-]?0[xob][\da-f]+$/i.test(number)) return undefined;
  if (!/^[+-]?\d+$/.test(number)) return { id: 'check.integer' };
  const value = BigInt(number.replace('+', ''));
  const [min, max] = range;
  return value < min || value > max
    ? { id: 'check.range', values: { min: String(min), max: String(max) } }
    : undefined;
}

function checkLength(text: string, { type }: Column): Problem | undefined {
  const limit = /^character(?: varying)?\((\d+)\)$/.exec(type)?.[1];
  // PostgreSQL measures the length of a text in code points.
  const count = limit === undefined ? 0 : Array.from(text).length;
  return limit !== undefined && count > Number(limit)
    ? { id: 'check.length', values: { most: Number(limit), count } }
    : undefined;
}

function checkArray(text: string, column: Column): Problem | undefined {
  const items = parseArray(text);
  // Only the database checks arrays that have several dimensions or don't start at index 1.
  if (items === undefined)
    return /^\s*(?:\[|\{\s*\{)/.test(text)
      ? undefined
      : { id: 'check.array', values: { example: '{one,"two words"}' } };
  const element = elementOf(column);
  for (const [index, item] of items.entries()) {
    const problem = item === null ? undefined : checkText(element, item);
    if (problem !== undefined) return { id: 'check.item', values: { number: index + 1 } };
  }
  return undefined;
}
