/**
 * Computes the bars of a request's diagram. The diagram has a bar for each service that responded, for each of the
 * service's statements, and for the log lines in between.
 */
import type { LogEntry } from './api.ts';

export interface Bar {
  readonly id: string;
  readonly kind: 'request' | 'statement' | 'line';
  readonly service: string;
  readonly label: string;
  /** The time since the beginning of the trace. */
  readonly startMs: number;
  /** Zero for an entry that doesn't have a duration. */
  readonly durationMs: number;
  readonly isFault: boolean;
  readonly depth: number;
}

export interface Waterfall {
  readonly totalMs: number;
  readonly bars: readonly Bar[];
}

/** Returns the bars of a trace. @example waterfallOf(entries).bars[0].label // 'POST /functions/v1/hello' */
export function waterfallOf(entries: readonly LogEntry[]): Waterfall {
  const beginOf = ({ at, durationMs = 0 }: LogEntry): number => at - durationMs;
  const begin = Math.min(...entries.map(beginOf));
  const sorted = [...entries].sort((left, right) => beginOf(left) - beginOf(right));
  const requests = sorted.filter(({ kind }) => kind === 'request');
  const bars = sorted.flatMap((entry, index): Bar[] => {
    const startMs = beginOf(entry) - begin;
    const depth = requests.filter(
      (other) =>
        other !== entry && beginOf(other) <= beginOf(entry) && other.at >= entry.at && !isTwin(other, entry),
    ).length;
    const own: Bar = {
      id: String(index),
      kind: entry.kind,
      service: entry.service,
      label: entry.kind === 'request' ? `${entry.method} ${entry.path}` : entry.message,
      startMs,
      durationMs: entry.durationMs ?? 0,
      isFault: entry.level === 'error' || (entry.status ?? 0) >= 500,
      depth,
    };
    const statements = (entry.statements ?? []).map(
      (statement, number): Bar => ({
        id: `${index}.${number}`,
        kind: 'statement',
        service: 'postgres',
        label: statement.text.replaceAll(/\s+/g, ' ').trim(),
        startMs: startMs + statement.startMs,
        durationMs: statement.durationMs,
        isFault: statement.error !== undefined,
        depth: depth + 1,
      }),
    );
    return [own, ...statements];
  });
  const totalMs = Math.max(0.01, ...bars.map((bar) => bar.startMs + bar.durationMs));
  return { totalMs, bars };
}

/** Whether two entries start and end at the same time. In that case, neither entry contains the other. */
const isTwin = (left: LogEntry, right: LogEntry): boolean =>
  left.at === right.at && left.durationMs === right.durationMs;
