/**
 * Finds a page of entries, ordered by time or by duration. Blocks are read in the order of the best entry that they can
 * contain, until no other block can contain a better entry than those that were found.
 */
import { fits } from '../core/entries.ts';
import type { Cursor, LogEntry, LogFilter, LogPage, LogSort } from '../types.ts';
import { type Budget, createBlockReader } from './lines.ts';
import { createPace } from './pace.ts';
import type { Block } from './segment.ts';
import { longest } from './summary.ts';

export interface Source {
  /** The entries in memory, newest first. */
  readonly memory: Iterable<LogEntry>;
  readonly blocks: readonly Block[];
  /** Later entries of the files are in memory. */
  readonly filesUntil: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly sort: LogSort;
  readonly cursor: Cursor | undefined;
}

interface Found {
  readonly entry: LogEntry;
  /** The positions of the block and the line. Entries in memory come after those in files. */
  readonly order: number;
  readonly line: number;
}

export async function findPage(
  { memory, blocks, filesUntil }: Source,
  filter: LogFilter,
  { limit, sort, cursor }: PageRequest,
  budget: Budget,
): Promise<LogPage> {
  const rank = sort === 'duration' ? ({ durationMs = -1 }: LogEntry) => durationMs : ({ at }: LogEntry) => at;
  const upper =
    sort === 'duration' ? (block: Block) => longest(block, filter.service) : (block: Block) => block.max;
  const startRank = (sort === 'duration' ? cursor?.ms : cursor?.at) ?? Number.POSITIVE_INFINITY;
  const isRelevant = (entry: LogEntry): boolean =>
    isAfterStart(entry, cursor, sort) && (sort === 'time' || entry.durationMs !== undefined);
  const best = new Best(limit + (cursor?.skip ?? 0) + 1, rank);
  let line = Number.MAX_SAFE_INTEGER;
  for (const entry of memory) {
    line--;
    if (fits(filter, entry) && isRelevant(entry)) best.add({ entry, order: Number.MAX_SAFE_INTEGER, line });
  }
  const pace = createPace();
  const reader = createBlockReader(filter, pace, budget);
  const candidates = blocks
    .filter(({ min, max, count }) => count > 0 && isInRange({ min, max }, filter, filesUntil))
    .filter((block) => sort === 'duration' || block.min <= startRank)
    .sort((one, other) => upper(other) - upper(one) || other.order - one.order);
  let searchedTo: number | undefined;
  for (const block of candidates) {
    const bound = upper(block);
    if (best.isFull && best.worst > bound) break;
    // Each page makes progress, because at least the blocks that can contain the next entry are read.
    if (budget.isSpent() && bound < startRank && Number.isFinite(bound)) {
      searchedTo = bound;
      break;
    }
    const pause = pace();
    if (pause !== undefined) await pause;
    if (!(await reader.isWanted(block))) continue;
    await reader.read(block, (entry, number) => {
      if (entry.at <= filesUntil && isRelevant(entry)) best.add({ entry, order: block.order, line: number });
    });
  }
  return pageOf(best.sorted, { limit, cursor, sort, searchedTo, rank });
}

/** Whether an entry isn't part of an earlier page. Entries that are equal to the cursor are counted later. */
function isAfterStart({ at, durationMs = -1 }: LogEntry, cursor: Cursor | undefined, sort: LogSort): boolean {
  if (cursor === undefined) return true;
  if (sort === 'time') return at <= cursor.at;
  const ms = cursor.ms ?? Number.POSITIVE_INFINITY;
  return durationMs < ms || (durationMs === ms && at <= cursor.at);
}

export const isInRange = (
  { min, max }: { readonly min: number; readonly max: number },
  { since, until }: LogFilter,
  filesUntil: number,
): boolean =>
  min <= filesUntil && (since === undefined || max >= since) && (until === undefined || min < until);

function pageOf(
  found: readonly Found[],
  {
    limit,
    cursor,
    sort,
    searchedTo,
    rank,
  }: {
    readonly limit: number;
    readonly cursor: Cursor | undefined;
    readonly sort: LogSort;
    readonly searchedTo: number | undefined;
    readonly rank: (entry: LogEntry) => number;
  },
): LogPage {
  // Blocks that weren't read can contain entries that belong before those with a lower rank.
  const certain = found
    .map(({ entry }) => entry)
    .filter((entry) => searchedTo === undefined || rank(entry) > searchedTo);
  const isAtStart = (entry: LogEntry): boolean =>
    cursor !== undefined && entry.at === cursor.at && (sort === 'time' || entry.durationMs === cursor.ms);
  const skipped = certain.filter(isAtStart).slice(0, cursor?.skip ?? 0);
  const rest = certain.slice(skipped.length);
  const entries = rest.slice(0, limit);
  if (rest.length > limit) return { entries, next: cursorAfter(entries, cursor, sort) };
  if (searchedTo === undefined) return { entries, next: undefined };
  const next =
    sort === 'time' ? { at: searchedTo, skip: 0 } : { at: Number.MAX_SAFE_INTEGER, skip: 0, ms: searchedTo };
  return { entries, next, searchedTo };
}

function cursorAfter(entries: readonly LogEntry[], before: Cursor | undefined, sort: LogSort): Cursor {
  const last = entries.at(-1);
  const at = last?.at ?? 0;
  const ms = last?.durationMs;
  const isSame = (one: { readonly at: number; readonly ms?: number | undefined } | undefined): boolean =>
    one?.at === at && (sort === 'time' || one.ms === ms);
  const skip =
    entries.filter((entry) => isSame({ at: entry.at, ms: entry.durationMs })).length +
    (isSame(before) ? (before?.skip ?? 0) : 0);
  return sort === 'time' ? { at, skip } : { at, skip, ms: ms ?? 0 };
}

/** The best entries that were found, up to a fixed number. */
class Best {
  readonly #limit: number;
  readonly #rank: (entry: LogEntry) => number;
  #found: Found[] = [];
  /** The rank that an entry must have to be among the best. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(limit: number, rank: (entry: LogEntry) => number) {
    this.#limit = limit;
    this.#rank = rank;
  }

  add(found: Found): void {
    if (this.#rank(found.entry) < this.#least) return;
    this.#found.push(found);
    if (this.#found.length >= this.#limit * 2) this.#trim();
  }

  get isFull(): boolean {
    return this.#found.length >= this.#limit;
  }

  /** The rank of the worst entry among the best. */
  get worst(): number {
    this.#trim();
    return this.#least;
  }

  get sorted(): readonly Found[] {
    this.#trim();
    return this.#found;
  }

  #trim(): void {
    this.#found.sort(
      (one, other) =>
        this.#rank(other.entry) - this.#rank(one.entry) ||
        other.entry.at - one.entry.at ||
        other.order - one.order ||
        other.line - one.line,
    );
    if (this.#found.length < this.#limit) return;
    this.#found.length = this.#limit;
    this.#least = this.#rank((this.#found.at(-1) as Found).entry);
  }
}
