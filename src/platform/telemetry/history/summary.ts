/**
 * Summarizes the lines of a block, so that queries can skip blocks without a match and count entries without reading
 * them.
 */
import { entryOfFileLine } from '../core/entries.ts';
import { type LogEntry, type LogFilter, levels } from '../types.ts';

/** The position of a block in a file, and what its entries have in common. */
export interface BlockSummary {
  readonly offset: number;
  /** The number of bytes in the file. */
  readonly size: number;
  /** The number of bytes of text. */
  readonly textBytes: number;
  /** The number of entries. */
  readonly count: number;
  /** The earliest and the latest time, in milliseconds since the epoch. */
  readonly min: number;
  readonly max: number;
  /** The longest duration per service. Services without requests have the value -1. */
  readonly services: Readonly<Record<string, number>>;
  /** A bit per first digit of a status. Bit 0: entries without a status. */
  readonly statuses: number;
  /** A bit per level, in the order of {@link levels}. */
  readonly levels: number;
  /**
   * The number of entries, as four numbers per group: the minute since the epoch, the position of the service in
   * {@link groups}, a code of {@link codeOf} and the count.
   */
  readonly rows: readonly number[];
  readonly groups: readonly string[];
}

export interface Summarized {
  readonly summary: Omit<BlockSummary, 'offset' | 'size' | 'textBytes'>;
  /** The IDs of the block's requests and users, and the names of its operators. */
  readonly ids: ReadonlySet<string>;
}

export const minuteMs = 60_000;
/** The mark in a group's name of requests that the Console sends for an operator. */
const operatorMark = '\u0000';

const statusClass = (status: number | undefined): number =>
  status === undefined ? 0 : Math.min(9, Math.max(0, Math.floor(status / 100)));

/** Encodes what a chart distinguishes: the status class, the level and whether the entry is a request. */
const codeOf = ({ status, level, kind }: LogEntry): number =>
  statusClass(status) * 8 + levels.indexOf(level) * 2 + (kind === 'request' ? 1 : 0);

export interface CountKey {
  readonly statusClass: number;
  readonly level: number;
  readonly isRequest: boolean;
}

export const keyOfCode = (code: number): CountKey => ({
  statusClass: code >> 3,
  level: (code >> 1) & 3,
  isRequest: (code & 1) === 1,
});

export const keyOfEntry = (entry: LogEntry): CountKey => keyOfCode(codeOf(entry));

/** Summarizes lines. Lines that Plinth didn't write are skipped. */
export function createSummary(): { add(line: string): void; result(): Summarized } {
  let count = 0;
  let min = Number.MAX_SAFE_INTEGER;
  let max = 0;
  let statuses = 0;
  let levelBits = 0;
  const services: Record<string, number> = Object.create(null);
  const groups = new Map<string, number>();
  const counts = new Map<number, Map<number, number>>();
  const ids = new Set<string>();
  return {
    add(line) {
      const entry = entryOfFileLine(line);
      if (entry === undefined) return;
      const { at, service, status, level, durationMs, requestId, userId, operator } = entry;
      count++;
      min = Math.min(min, at);
      max = Math.max(max, at);
      statuses |= 1 << statusClass(status);
      levelBits |= 1 << levels.indexOf(level);
      services[service] = Math.max(services[service] ?? -1, durationMs ?? -1);
      for (const id of [requestId, userId, operator]) if (id !== undefined) ids.add(id);
      const name = operator === undefined ? service : service + operatorMark;
      const group = groups.get(name) ?? groups.size;
      groups.set(name, group);
      const minute = Math.floor(at / minuteMs);
      const perMinute = counts.get(minute) ?? new Map<number, number>();
      counts.set(minute, perMinute);
      const key = group * 128 + codeOf(entry);
      perMinute.set(key, (perMinute.get(key) ?? 0) + 1);
    },
    result: () => ({
      summary: {
        ...{ count, min, max, services, statuses, levels: levelBits },
        rows: [...counts].flatMap(([minute, perMinute]) =>
          [...perMinute].flatMap(([key, number]) => [minute, Math.floor(key / 128), key % 128, number]),
        ),
        groups: [...groups.keys()],
      },
      ids,
    }),
  };
}

/** Whether a block can contain entries that match. Times are compared separately. */
export function mayMatch(block: BlockSummary, { service, level, status, minMs }: LogFilter): boolean {
  if (block.count === 0) return false;
  if (service !== undefined && !Object.keys(block.services).some((name) => isPossible(service, name)))
    return false;
  if (level !== undefined && block.levels >> levels.indexOf(level) === 0) return false;
  if (status !== undefined && ((block.statuses >> Number(status[0])) & 1) === 0) return false;
  return minMs === undefined || longest(block, service) >= minMs;
}

/** Whether a service can match the filter. An operator's requests to other services are decided entry by entry. */
const isPossible = (wanted: string, service: string): boolean =>
  wanted.startsWith('!') ? service !== wanted.slice(1) : service === wanted;

/** Returns the longest duration of a request that the service filter can match. */
export function longest({ services }: BlockSummary, wanted: string | undefined): number {
  let found = -1;
  for (const [service, ms] of Object.entries(services))
    if (wanted === undefined || isPossible(wanted, service)) found = Math.max(found, ms);
  return found;
}

/** Whether {@link countRows} can apply the filter without reading entries. */
export const isCountable = ({
  status,
  path,
  method,
  user,
  requestId,
  search,
  minMs,
  maxMs,
}: LogFilter): boolean =>
  (status === undefined || status.length === 1) &&
  [path, method, user, requestId, search, minMs, maxMs].every((value) => value === undefined);

/** Calls `add` with each count of a block that matches the filter. */
export function countRows(
  { rows, groups }: BlockSummary,
  { service: wanted, level, status }: LogFilter,
  add: (minute: number, key: CountKey, count: number) => void,
): void {
  const fits = groups.map((name) => {
    if (wanted === undefined) return true;
    const isOperators = name.endsWith(operatorMark);
    const service = isOperators ? name.slice(0, -1) : name;
    return isPossible(wanted, service) && !(wanted === '!console' && isOperators);
  });
  const leastLevel = level === undefined ? 0 : levels.indexOf(level);
  for (let index = 0; index < rows.length; index += 4) {
    const key = keyOfCode(rows[index + 2] ?? 0);
    if (!fits[rows[index + 1] ?? 0] || key.level < leastLevel) continue;
    if (status !== undefined && key.statusClass !== Number(status)) continue;
    add(rows[index] ?? 0, key, rows[index + 3] ?? 0);
  }
}
