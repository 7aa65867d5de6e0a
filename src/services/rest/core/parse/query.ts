/**
 * Parses the query string in two steps. {@link scanQuery} is cheap and runs for each request. The scan separates the
 * values from the shape of the query string. {@link readQuery} runs once per shape and builds a syntax tree that
 * contains a slot for each value.
 */
import { restError } from '../../errors.ts';
import {
  columnNames,
  filterValue,
  listValue,
  logicPath,
  logicTree,
  order,
  select,
  treePath,
} from './grammar.ts';
import {
  type FtsOperator,
  operatorsOf,
  type Quantifier,
  type QuantOperator,
  type SimpleOperator,
} from './operators.ts';
import { type Parser, parse } from './parsec.ts';
import { ALL_ROWS, type RowRange, rangeOf, rowNumber } from './range.ts';
import type { EmbedPath, Filter, LogicTree, OperatorExpression, OrderTerm, SelectItem } from './types.ts';

/** A value in a request: a string, or the elements of an `in` list. */
export type SlotValue = string | readonly string[];

type Entry =
  | { readonly kind: 'verbatim'; readonly key: string; readonly text: string }
  | { readonly kind: 'filter'; readonly key: string; readonly expression: OperatorExpression }
  | { readonly kind: 'argument'; readonly key: string };

export interface ScannedQuery {
  /**
   * The query string without its values. Query strings of the same shape share a plan. The parts of the query string
   * remain percent-encoded, so no part contains `&`, and no key contains `=`.
   */
  readonly shape: string;
  readonly values: readonly SlotValue[];
  /** The row range from the `limit` and `offset` of each level, by the level's limit key (`limit`, `embed.limit`). */
  readonly ranges: ReadonlyMap<string, RowRange>;
  /** The arguments of a function called with GET, in order. The same argument name can occur more than once. */
  readonly callArguments: readonly (readonly [string, string])[];
  readonly entries: readonly Entry[];
  readonly pairs: readonly Pair[];
}

/** A parameter's decoded key, decoded value and raw text. The value is undefined if `=` is missing. */
export type Pair = readonly [key: string, value: string | undefined, raw: string];

export interface EmbedFilter {
  readonly path: EmbedPath;
  readonly filter: Filter;
}

export interface QueryTree {
  readonly select: readonly SelectItem[];
  readonly filters: readonly EmbedFilter[];
  readonly logic: readonly { readonly path: EmbedPath; readonly tree: LogicTree }[];
  readonly order: readonly { readonly path: EmbedPath; readonly terms: readonly OrderTerm[] }[];
  /** The embed path of each key in `ScannedQuery.ranges`. */
  readonly ranges: readonly { readonly path: EmbedPath; readonly key: string }[];
  /** The names in the parameter `columns`, sorted and without duplicates. */
  readonly columns: readonly string[] | undefined;
  readonly onConflict: readonly string[] | undefined;
  /** The raw keys of all filter parameters. */
  readonly filterKeys: readonly string[];
}

const RESERVED = new Set(['select', 'columns', 'on_conflict']);
const RESERVED_LAST = new Set(['order', 'limit', 'offset', 'and', 'or']);
const INTEGER = /^\s*-?\d+\s*$/;

/** Scans a query string. If `readOnlyCall` is true, parameters whose value has no operator are function arguments. */
export function scanQuery(text: string, readOnlyCall: boolean): ScannedQuery {
  const pairs = splitQuery(text);
  const values: SlotValue[] = [];
  const entries: Entry[] = [];
  const limits = new Map<string, number | undefined>();
  const offsets = new Map<string, number | undefined>();
  const callArguments: [string, string][] = [];
  let shape = '';
  for (const [key, value, raw] of pairs) {
    if (value === undefined) continue;
    const rawKey = raw.slice(0, raw.indexOf('='));
    const last = key.slice(key.lastIndexOf('.') + 1);
    if (last === 'limit' || last === 'offset') {
      const number = INTEGER.test(value) ? rowNumber(value) : undefined;
      (last === 'limit' ? limits : offsets).set(`${key.slice(0, key.length - last.length)}limit`, number);
      shape += `&${rawKey}#`;
      continue;
    }
    if (!RESERVED_LAST.has(last) && !RESERVED.has(key)) {
      const quick = quickFilter(value, values.length);
      if (quick !== undefined) {
        entries.push({ kind: 'filter', key, expression: quick.expression });
        values.push(quick.value);
        shape += `&${rawKey}=${quick.shape}`;
        continue;
      }
      // A value that begins with an operator is a filter on the result, not an argument. So each new operator changes
      // the meaning of calls whose arguments begin with its name and a dot.
      if (readOnlyCall && !FILTER_START.test(value)) {
        entries.push({ kind: 'argument', key });
        callArguments.push([key, value]);
        shape += `&${rawKey}?`;
        continue;
      }
    }
    entries.push({ kind: 'verbatim', key, text: value });
    shape += `&${raw}`;
  }
  const ranges = new Map<string, RowRange>();
  for (const key of new Set([...limits.keys(), ...offsets.keys()])) {
    ranges.set(
      key,
      rangeOf(
        limits.has(key) ? { limit: limits.get(key) } : undefined,
        offsets.has(key) ? { offset: offsets.get(key) } : undefined,
      ),
    );
  }
  return { shape, values, ranges, callArguments, entries, pairs };
}

/** Returns the row range of the root. The default is all rows. */
export const rootRange = (query: ScannedQuery): RowRange => query.ranges.get('limit') ?? ALL_ROWS;

/**
 * Parses a query.
 * @throws {RestError} PGRST100 for the first invalid parameter, with the position that the parser reports
 */
export function readQuery(query: ScannedQuery): QueryTree {
  const verbatim = (test: (last: string) => boolean) =>
    query.entries.filter(
      (entry) => entry.kind === 'verbatim' && test(entry.key.slice(entry.key.lastIndexOf('.') + 1)),
    ) as Extract<Entry, { kind: 'verbatim' }>[];
  const first = (name: string) => query.pairs.find(([key]) => key === name)?.[1];

  const orders = verbatim((last) => last === 'order').map(({ key, text }) => ({
    path: readPath(key).path,
    terms: read(order, 'order', text),
  }));
  const logic = verbatim((last) => last === 'and' || last === 'or').map(({ key, text }) => {
    const { path, operator } = read(logicPath, 'logic path', key);
    return { path, tree: read(logicTree, 'logic tree', text, operator + text) };
  });
  const columnsText = first('columns');
  const columns = columnsText === undefined ? undefined : read(columnNames, 'columns parameter', columnsText);
  const items = read(select, 'select parameter', first('select') ?? '*');
  const filters: EmbedFilter[] = [];
  const filterKeys: string[] = [];
  for (const entry of query.entries) {
    if (entry.kind === 'verbatim') {
      const last = entry.key.slice(entry.key.lastIndexOf('.') + 1);
      if (RESERVED.has(entry.key) || RESERVED_LAST.has(last)) continue;
    }
    filterKeys.push(entry.key);
    const { path, field } = readPath(entry.key);
    if (entry.kind === 'argument') continue;
    const expression = entry.kind === 'filter' ? entry.expression : read(filterValue, 'filter', entry.text);
    filters.push({ path, filter: { field, expression } });
  }
  const conflictText = first('on_conflict');
  const onConflict =
    conflictText === undefined ? undefined : read(columnNames, 'on_conflict parameter', conflictText);
  return {
    select: items,
    filters,
    logic,
    order: orders,
    ranges: [...query.ranges.keys()].map((key) => ({ path: readPath(key).path, key })),
    columns: columns === undefined ? undefined : [...new Set(columns)].sort(),
    onConflict,
    filterKeys,
  };
}

const readPath = (key: string) => read(treePath, 'tree path', key);

function read<T>(parser: Parser<T>, part: string, shown: string, text = shown): T {
  const result = parse(parser, `failed to parse ${part} (${shown})`, text);
  if (result.ok) return result.value;
  throw restError('PGRST100', { texts: { position: result.position }, details: result.details });
}

const ONE_VALUE = new RegExp(
  `^(not\\.)?(?:(${operatorsOf('simple').join('|')})` +
    `|(${operatorsOf('quantified').join('|')})(?:\\((any|all)\\))?` +
    `|(${operatorsOf('fts').join('|')})(?:\\(([\\p{L}0-9_ $]+)\\))?)\\.`,
  'u',
);
/**
 * Matches the beginning of a value that is always parsed as a filter, even if the filter is invalid. The operators in
 * {@link ONE_VALUE} aren't necessary here, because any text is a valid operand.
 */
const FILTER_START = new RegExp(`^(?:not|${[...operatorsOf('in'), ...operatorsOf('is')].join('|')})\\.`);
const LIST = /^(not\.)?in\./;
const PLAIN_LIST = /^[ \t]*\([ \t]*([^)"]*)\)/;

/**
 * Parses common filters without the grammar. The result is the same as if the grammar parsed the filter. Returns
 * undefined for less common filters.
 */
function quickFilter(
  text: string,
  slot: number,
): { expression: OperatorExpression; value: SlotValue; shape: string } | undefined {
  const one = ONE_VALUE.exec(text);
  if (one !== null) {
    const [prefix, not, simple, quantified, quantifier, fts, language] = one;
    const value = { slot };
    const operation: OperatorExpression['operation'] =
      simple !== undefined
        ? { kind: 'simple', operator: simple as SimpleOperator, value }
        : quantified !== undefined
          ? {
              kind: 'quantified',
              operator: quantified as QuantOperator,
              quantifier: quantifier as Quantifier | undefined,
              value,
            }
          : { kind: 'fts', operator: fts as FtsOperator, language: language?.trim(), value };
    return {
      expression: { negated: not !== undefined, operation },
      value: text.slice(prefix.length),
      shape: prefix,
    };
  }
  const list = LIST.exec(text);
  if (list === null) return undefined;
  const [prefix, not] = list;
  const rest = text.slice(prefix.length);
  const plain = PLAIN_LIST.exec(rest);
  let elements: string[];
  if (plain !== null) {
    elements = (plain[1] ?? '').split(',');
  } else {
    const result = parse(listValue, '', rest);
    if (!result.ok) return undefined;
    elements = result.value;
  }
  // A list whose only element is an empty string is treated as an empty list, which is compiled to different SQL.
  const empty = elements.length === 1 && elements[0] === '';
  return {
    expression: {
      negated: not !== undefined,
      operation: { kind: 'in', values: empty ? [] : { slot } },
    },
    value: elements,
    shape: `${prefix}${empty ? '()' : ''}`,
  };
}

/**
 * Rejects a query string or form that contains a NUL character, which PostgreSQL's text type can't contain. A name or
 * value without the character would be a different one.
 * @throws {RestError} 22021
 */
export function rejectNul(raw: string): void {
  // This finds every NUL, because a `%` that precedes `00` always begins the escape sequence.
  if (raw.includes('%00') || raw.includes('\0')) throw restError('22021');
}

export function splitQuery(raw: string): Pair[] {
  if (raw === '') return [];
  const pairs: Pair[] = [];
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    if (equals === -1) pairs.push([decodeText(part), undefined, part]);
    else pairs.push([decodeText(part.slice(0, equals)), decodeText(part.slice(equals + 1)), part]);
  }
  return pairs;
}

/**
 * Percent-decodes a string. A `%` that doesn't begin an escape sequence is kept, `+` becomes a space, and invalid UTF-8
 * is replaced with U+FFFD.
 */
export function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const bytes = spaced.replace(/((?:%[0-9a-f]{2})+)/gi, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
    );
    return bytes;
  }
}

/** Returns the query string for Content-Location, with the parameters sorted by name and re-encoded. */
export function canonicalQuery(query: ScannedQuery): string {
  return query.pairs
    .map(([key, value], index) => ({ key, value: value ?? '', index }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index))
    .map(({ key, value }) => `${encodeText(key)}=${encodeText(value)}`)
    .join('&');
}

/** Matches text that doesn't require percent-encoding. */
const PLAIN = /^[\w.~-]*$/;

/** Percent-encodes text for a part of a URL. */
export function encodeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
