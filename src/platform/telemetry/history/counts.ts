/** Counts the entries of each step of a range, from the indexes if the filter permits it. */
import { fits } from '../core/entries.ts';
import { type LogCounts, type LogEntry, type LogFilter, levels } from '../types.ts';
import { type Budget, createBlockReader } from './lines.ts';
import { createPace } from './pace.ts';
import { isInRange, type Source } from './pages.ts';
import type { Block } from './segment.ts';
import { type CountKey, countRows, isCountable, keyOfEntry, minuteMs } from './summary.ts';

/** The range of a chart, whose times are multiples of a minute. */
export interface Steps {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** Only entries before this time are counted, because an earlier query has counted the others. */
  readonly before?: number | undefined;
}

const stepMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const longestStepMinutes = 2880;
const maxSteps = 90;

/**
 * Divides a range into at most 90 steps, which begin at round times in UTC. A range that begins at the first step is
 * divided in the same way.
 */
export function stepsOf(since: number, until: number): Steps {
  const dividedBy = (minutes: number): Steps => {
    const stepMs = minutes * minuteMs;
    const start = Math.floor(since / stepMs) * stepMs;
    return { start, stepMs, steps: Math.max(1, Math.ceil((until - start) / stepMs)) };
  };
  const known = stepMinutes.map(dividedBy).find(({ steps }) => steps <= maxSteps);
  if (known !== undefined) return known;
  let minutes = longestStepMinutes;
  while (dividedBy(minutes).steps > maxSteps) minutes *= 2;
  return dividedBy(minutes);
}

/** Returns the time of the oldest entry, or undefined if the log is empty. */
export function oldestOf({ memory, blocks, filesUntil }: Source): number | undefined {
  let oldest: number | undefined;
  for (const { min, count } of blocks)
    if (count > 0 && min <= filesUntil) oldest = Math.min(oldest ?? min, min);
  for (const { at } of memory) oldest = Math.min(oldest ?? at, at);
  return oldest;
}

/**
 * Counts entries. A chart without a text filter counts the lines of the files, and the entries in memory that aren't in
 * the files yet. The first and the last minute of the range are counted completely.
 */
export async function countEntries(
  source: Source,
  given: LogFilter,
  range: Steps,
  budget: Budget,
): Promise<LogCounts> {
  const { start, stepMs, steps, before } = range;
  const filter = {
    ...given,
    since: floorMinute(Math.max(start, given.since ?? start)),
    until: Math.min(
      before ?? Number.MAX_SAFE_INTEGER,
      given.until === undefined ? Number.MAX_SAFE_INTEGER : ceilMinute(given.until),
      start + steps * stepMs,
    ),
  };
  const counts = emptyCounts(steps);
  const add = (at: number, key: CountKey, count: number): void => {
    const step = Math.floor((at - start) / stepMs);
    const series = counts[seriesOf(key)];
    if (step >= 0 && step < steps) series[step] = (series[step] ?? 0) + count;
  };
  const searchedTo = isCountable(filter)
    ? countIndexed(source, filter, add)
    : await countRead(source, filter, add, budget);
  return { start, stepMs, steps, ...counts, ...(searchedTo === undefined ? {} : { searchedTo }) };
}

type Bounded = LogFilter & { readonly since: number; readonly until: number };
type Add = (at: number, key: CountKey, count: number) => void;

function countIndexed({ memory, blocks }: Source, filter: Bounded, add: Add): undefined {
  let inFiles = Number.NEGATIVE_INFINITY;
  for (const block of blocks) {
    if (block.count === 0) continue;
    inFiles = Math.max(inFiles, block.max);
    if (!isInRange(block, filter, Number.POSITIVE_INFINITY)) continue;
    countRows(block, filter, (minute, key, count) => {
      const at = minute * minuteMs;
      if (at >= filter.since && at < filter.until) add(at, key, count);
    });
  }
  for (const entry of memory)
    if (entry.at > inFiles && fits(filter, entry)) add(entry.at, keyOfEntry(entry), 1);
}

/** Counts by reading entries, newest first. Returns the time before which entries weren't read. */
async function countRead(
  { memory, blocks, filesUntil }: Source,
  filter: Bounded,
  add: Add,
  budget: Budget,
): Promise<number | undefined> {
  for (const entry of memory) if (fits(filter, entry)) add(entry.at, keyOfEntry(entry), 1);
  return readBackward(blocks, filter, { filesUntil, budget }, (entry) => add(entry.at, keyOfEntry(entry), 1));
}

/**
 * Calls `onEntry` with the matching entries of the files. If the budget is spent, returns the time before which entries
 * weren't passed. A later call with this time as `until` continues there.
 */
export async function readBackward(
  blocks: readonly Block[],
  filter: Bounded,
  { filesUntil, budget }: { readonly filesUntil: number; readonly budget: Budget },
  onEntry: (entry: LogEntry) => void,
): Promise<number | undefined> {
  const pace = createPace();
  const reader = createBlockReader(filter, pace, budget);
  const inRange = blocks
    .filter((block) => block.count > 0 && isInRange(block, filter, filesUntil))
    .sort((one, other) => other.max - one.max || other.order - one.order);
  /** Entries that may be older than entries of blocks that weren't read yet, because blocks can overlap. */
  let held: LogEntry[] = [];
  for (const block of inRange) {
    for (const entry of held) if (entry.at > block.max) onEntry(entry);
    held = held.filter(({ at }) => at <= block.max);
    // Each query makes progress, because it reads at least the blocks that contain the latest millisecond.
    if (budget.isSpent() && block.max + 1 < filter.until) return block.max + 1;
    const pause = pace();
    if (pause !== undefined) await pause;
    if (!(await reader.isWanted(block))) continue;
    await reader.read(block, (entry) => {
      if (entry.at <= filesUntil) held.push(entry);
    });
  }
  for (const entry of held) onEntry(entry);
  return undefined;
}

const floorMinute = (at: number): number => Math.floor(at / minuteMs) * minuteMs;
const ceilMinute = (at: number): number => Math.ceil(at / minuteMs) * minuteMs;

type Series = 'succeeded' | 'refused' | 'failed' | 'lines' | 'warnings';

const emptyCounts = (steps: number): Record<Series, number[]> => {
  const zeros = (): number[] => Array.from({ length: steps }, () => 0);
  return { succeeded: zeros(), refused: zeros(), failed: zeros(), lines: zeros(), warnings: zeros() };
};

function seriesOf({ statusClass, level, isRequest }: CountKey): Series {
  if (!isRequest) return level >= levels.indexOf('warn') ? 'warnings' : 'lines';
  return statusClass >= 5 ? 'failed' : statusClass === 4 ? 'refused' : 'succeeded';
}
