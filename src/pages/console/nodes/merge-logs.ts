/** Merges the log pages of several nodes by time or duration. A cursor contains the position in each node's log. */
import type { Cursor, LogEntry, LogPage, LogSort } from '../../../platform/telemetry/types.ts';
import type { NamedNode } from './contract.ts';

/** An entry, with the name of its node if there are several nodes. */
export type NodeLogEntry = LogEntry & { readonly node?: string };

export interface NodesCursor {
  /** The time of the last entry of the previous page. */
  readonly at: number;
  /** The duration of this entry, if the page is sorted by duration. */
  readonly ms?: number | undefined;
  /** For each node's ID, the number of its entries at this position that previous pages contained. */
  readonly skips: ReadonlyMap<string, number>;
}

export interface NodePage {
  readonly node: NamedNode;
  readonly value: LogPage;
}

/** Returns the position of a node. */
export const cursorOf = (cursor: NodesCursor | undefined, nodeId: string): Cursor | undefined =>
  cursor && {
    at: cursor.at,
    skip: cursor.skips.get(nodeId) ?? 0,
    ...(cursor.ms === undefined ? {} : { ms: cursor.ms }),
  };

interface MergeOptions {
  readonly limit: number;
  readonly before: NodesCursor | undefined;
  readonly sort?: LogSort;
}

export interface MergedPage {
  readonly entries: NodeLogEntry[];
  readonly next: NodesCursor | undefined;
  /** The time or the duration up to which all nodes have searched, if a node has stopped early. */
  readonly searchedTo?: number | undefined;
}

export function mergePages(
  pages: readonly NodePage[],
  { limit, before, sort = 'time' }: MergeOptions,
): MergedPage {
  const rank = sort === 'time' ? ({ at }: LogEntry) => at : ({ durationMs = 0 }: LogEntry) => durationMs;
  // Entries beyond the point where a node has stopped are part of the next page, because the node may have entries before
  // them.
  const stops = pages.flatMap(({ value }) => value.searchedTo ?? []);
  const searchedTo = stops.length === 0 ? undefined : Math.max(...stops);
  const positions = pages.map(() => 0);
  const entries: NodeLogEntry[] = [];
  let isCut = false;
  while (entries.length < limit) {
    const first = firstOf(pages, positions, rank);
    if (first === undefined || (searchedTo !== undefined && rank(first.entry) <= searchedTo)) break;
    const { entry, index } = first;
    positions[index] = (positions[index] ?? 0) + 1;
    // A node that has more entries than it sent could have entries that belong before the other nodes' next ones.
    entries.push(pages.length > 1 ? { ...entry, node: pages[index]?.node.name ?? '' } : entry);
    const { value } = pages[index] as NodePage;
    if (
      positions[index] === value.entries.length &&
      value.next !== undefined &&
      value.searchedTo === undefined
    ) {
      isCut = true;
      break;
    }
  }
  const hasMore = pages.some(
    ({ value }, index) => value.next !== undefined || (positions[index] ?? 0) < value.entries.length,
  );
  if (!hasMore) return { entries, next: undefined };
  if (searchedTo !== undefined && !isCut && entries.length < limit) {
    const next = sort === 'time' ? { at: searchedTo } : { at: Number.MAX_SAFE_INTEGER, ms: searchedTo };
    return { entries, next: { ...next, skips: new Map() }, searchedTo };
  }
  const last = entries.at(-1);
  if (last === undefined) return { entries, next: undefined };
  const position = { at: last.at, ...(sort === 'time' ? {} : { ms: last.durationMs ?? 0 }) };
  const isAt = (entry: LogEntry): boolean => entry.at === last.at && rank(entry) === rank(last);
  const isSame = before?.at === position.at && before.ms === position.ms;
  const skips = pages.map(({ node, value }, index): [string, number] => {
    const taken = value.entries.slice(0, positions[index]).filter(isAt).length;
    return [node.id, taken + (isSame ? (before?.skips.get(node.id) ?? 0) : 0)];
  });
  return { entries, next: { ...position, skips: new Map(skips.filter(([, skip]) => skip > 0)) } };
}

/** Returns the next entry of all nodes. */
function firstOf(
  pages: readonly NodePage[],
  positions: readonly number[],
  rank: (entry: LogEntry) => number,
): { readonly entry: LogEntry; readonly index: number } | undefined {
  let first: { readonly entry: LogEntry; readonly index: number } | undefined;
  for (const [index, { value }] of pages.entries()) {
    const entry = value.entries[positions[index] ?? 0];
    if (entry === undefined) continue;
    const difference = first === undefined ? 1 : rank(entry) - rank(first.entry);
    if (difference > 0 || (difference === 0 && first !== undefined && entry.at > first.entry.at))
      first = { entry, index };
  }
  return first;
}

/** @example cursorText({ at: 5, skips: new Map([['a', 1]]) }) // '5;a:1' */
export const cursorText = ({ at, ms, skips }: NodesCursor): string =>
  [ms === undefined ? at : `${at}~${ms}`, ...[...skips].map(([id, skip]) => `${id}:${skip}`)].join(';');

export const cursorPattern = /^\d{1,16}(~-?\d{1,12}(\.\d{1,6})?)?(;[\da-z-]{1,36}:\d{1,9}){0,100}$/;

/** Parses a text that matches {@link cursorPattern}. */
export function parseCursor(text: string): NodesCursor {
  const [position = '', ...skips] = text.split(';');
  const [at, ms] = position.split('~');
  const pairs = skips.map((pair): [string, number] => {
    const [id = '', skip] = pair.split(':');
    return [id, Number(skip)];
  });
  return { at: Number(at), ...(ms === undefined ? {} : { ms: Number(ms) }), skips: new Map(pairs) };
}

/** The text of the times up to which nodes have searched. @example stopsText(new Map([['a', 5]])) // 'a:5' */
export const stopsText = (stops: ReadonlyMap<string, number>): string =>
  [...stops].map(([id, at]) => `${id}:${at}`).join(';');

export const stopsPattern = /^[\da-z-]{1,36}:\d{1,16}(;[\da-z-]{1,36}:\d{1,16}){0,99}$/;

/** Parses a text that matches {@link stopsPattern}. */
export const parseStops = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split(';').map((pair): [string, number] => {
      const [id = '', at] = pair.split(':');
      return [id, Number(at)];
    }),
  );
