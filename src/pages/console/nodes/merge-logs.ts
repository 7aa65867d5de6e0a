/** Merges the log pages of several nodes by time. A cursor contains the position in each node's log. */
import type { Cursor, LogEntry, LogPage } from '../../../platform/telemetry/types.ts';
import type { NamedNode } from './contract.ts';

/** An entry, with the name of its node if there are several nodes. */
export type NodeLogEntry = LogEntry & { readonly node?: string };

export interface NodesCursor {
  /** The time of the last entry of the previous page. */
  readonly at: number;
  /** For each node's ID, the number of its entries with this time that previous pages contained. */
  readonly skips: ReadonlyMap<string, number>;
}

export interface NodePage {
  readonly node: NamedNode;
  readonly value: LogPage;
}

/** Returns the position of a node. */
export const cursorOf = (cursor: NodesCursor | undefined, nodeId: string): Cursor | undefined =>
  cursor && { at: cursor.at, skip: cursor.skips.get(nodeId) ?? 0 };

export function mergePages(
  pages: readonly NodePage[],
  limit: number,
  before: NodesCursor | undefined,
): { readonly entries: NodeLogEntry[]; readonly next: NodesCursor | undefined } {
  const positions = pages.map(() => 0);
  const entries: NodeLogEntry[] = [];
  while (entries.length < limit) {
    const newest = newestOf(pages, positions);
    if (newest === undefined) break;
    const { entry, index } = newest;
    positions[index] = (positions[index] ?? 0) + 1;
    // A node that has more entries than it sent could have entries that belong before the other nodes' next ones.
    entries.push(pages.length > 1 ? { ...entry, node: pages[index]?.node.name ?? '' } : entry);
    if (positions[index] === pages[index]?.value.entries.length && pages[index]?.value.next !== undefined)
      break;
  }
  const hasMore = pages.some(
    ({ value }, index) => value.next !== undefined || (positions[index] ?? 0) < value.entries.length,
  );
  const last = entries.at(-1);
  if (!hasMore || last === undefined) return { entries, next: undefined };
  const skips = pages.map(({ node, value }, index): [string, number] => {
    const taken = value.entries.slice(0, positions[index]).filter(({ at }) => at === last.at).length;
    return [node.id, taken + (before?.at === last.at ? (before.skips.get(node.id) ?? 0) : 0)];
  });
  return { entries, next: { at: last.at, skips: new Map(skips.filter(([, skip]) => skip > 0)) } };
}

function newestOf(
  pages: readonly NodePage[],
  positions: readonly number[],
): { readonly entry: LogEntry; readonly index: number } | undefined {
  let newest: { readonly entry: LogEntry; readonly index: number } | undefined;
  for (const [index, { value }] of pages.entries()) {
    const entry = value.entries[positions[index] ?? 0];
    if (entry !== undefined && (newest === undefined || entry.at > newest.entry.at))
      newest = { entry, index };
  }
  return newest;
}

/** @example cursorText({ at: 5, skips: new Map([['a', 1]]) }) // '5;a:1' */
export const cursorText = ({ at, skips }: NodesCursor): string =>
  [at, ...[...skips].map(([id, skip]) => `${id}:${skip}`)].join(';');

export const cursorPattern = /^\d{1,16}(;[\da-z-]{1,36}:\d{1,9}){0,100}$/;

/** Parses a text that matches {@link cursorPattern}. */
export function parseCursor(text: string): NodesCursor {
  const [at, ...skips] = text.split(';');
  const pairs = skips.map((pair): [string, number] => {
    const [id = '', skip] = pair.split(':');
    return [id, Number(skip)];
  });
  return { at: Number(at), skips: new Map(pairs) };
}
