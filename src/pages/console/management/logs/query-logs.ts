/** Runs a log query over the request log and the log lines of all nodes. */
import type { NodeLogs } from '../../nodes/logs.ts';
import type { NodesCursor } from '../../nodes/merge-logs.ts';
import { ManagementError } from '../handlers.ts';
import { evaluate, type Value } from './evaluate.ts';
import { LogQueryError } from './lex.ts';
import { parseLogQuery } from './parse.ts';
import { recordsOf } from './records.ts';

export interface LogWindow {
  /** The start and the end of the window, in milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/** The maximum number of entries that a query reads, newest first. */
const maxEntries = 20_000;
const entriesPerPage = 500;

/** The query for a request that has no `sql`, as upstream's. */
const defaultQuery = 'select id, timestamp, event_message from edge_logs order by timestamp desc limit 100';

/**
 * Runs the query.
 * @param masked masks secrets in the entries
 * @param timestamps how times are returned: as ISO text, or in microseconds since the epoch (`logs.all`)
 * @throws {ManagementError} 400 if the query isn't supported
 */
export async function queryLogs(
  logs: Pick<NodeLogs, 'list'>,
  {
    sql = defaultQuery,
    window,
    masked,
    timestamps,
    now,
  }: {
    readonly sql: string | undefined;
    readonly window: LogWindow;
    readonly masked: <T>(value: T) => T;
    readonly timestamps: 'iso' | 'microseconds';
    readonly now: number;
  },
): Promise<{ readonly result: readonly object[] }> {
  try {
    const query = parseLogQuery(sql);
    // Finds mistakes in the query before the log is read.
    evaluate(query, [], now);
    const records = await read(logs, window);
    const rows = evaluate(query, masked({ entries: records }).entries.flatMap(recordsOf), now);
    const shown = (value: Value) =>
      value instanceof Date ? (timestamps === 'iso' ? value.toISOString() : value.getTime() * 1000) : value;
    return {
      result: rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])),
      ),
    };
  } catch (error) {
    if (!(error instanceof LogQueryError)) throw error;
    throw new ManagementError(400, `The log query isn't supported. ${error.message}`, { cause: error });
  }
}

async function read(logs: Pick<NodeLogs, 'list'>, window: LogWindow) {
  const all: Awaited<ReturnType<NodeLogs['list']>>['entries'][number][] = [];
  let cursor: NodesCursor | undefined;
  do {
    const page = await logs.list(window, { limit: entriesPerPage, cursor, only: undefined });
    all.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined && all.length < maxEntries);
  return all;
}

const dayMs = 86_400_000;

/** Returns the window, which is at most 24 hours as upstream's. @throws {ManagementError} 400 */
export function windowOf(
  { start, end }: { readonly start: string | undefined; readonly end: string | undefined },
  now: number,
): LogWindow {
  const until = end === undefined ? now : timeOf('iso_timestamp_end', end);
  const since = start === undefined ? until - dayMs : timeOf('iso_timestamp_start', start);
  if (since >= until) throw new ManagementError(400, 'iso_timestamp_start must be before iso_timestamp_end.');
  return { since: Math.max(since, until - dayMs), until };
}

function timeOf(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ManagementError(400, `${name} must be an ISO 8601 timestamp.`);
}
