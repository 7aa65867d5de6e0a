/** Exports log entries as a file. */
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import type { NodeLogEntry, NodesCursor } from '../nodes/merge-logs.ts';

const maxEntries = 100_000;

const columns = [
  'time',
  'level',
  'service',
  'node',
  'method',
  'path',
  'query',
  'status',
  'duration_ms',
  'database_ms',
  'role',
  'user_id',
  'operator',
  'ip',
  'user_agent',
  'request_id',
  'message',
  'details',
] as const;

/**
 * Yields the parts of the file. The next page is read when the client has received the previous ones.
 *
 * @param list Returns a page of entries.
 */
export async function* exportEntries(
  list: (cursor: NodesCursor | undefined) => ReturnType<NodeLogs['list']>,
  {
    format,
    clean,
    signal,
  }: {
    readonly format: 'csv' | 'ndjson';
    /** Masks secrets. */
    readonly clean: <T>(value: T) => T;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns);
  let cursor: NodesCursor | undefined;
  let left = maxEntries;
  do {
    signal.throwIfAborted();
    const page = await list(cursor);
    const entries = clean({ entries: page.entries.slice(0, left) }).entries;
    left -= entries.length;
    cursor = page.next;
    const text = entries.map(format === 'csv' ? csvOf : jsonOf).join('');
    if (text !== '') yield text;
  } while (cursor !== undefined && left > 0);
}

const jsonOf = ({ at, ...entry }: NodeLogEntry): string =>
  `${JSON.stringify({ time: new Date(at).toISOString(), ...entry })}\n`;

function csvOf(entry: NodeLogEntry): string {
  const { at, level, kind, service, node, method, path, query, status, durationMs, databaseMs } = entry;
  const { role, userId, operator, ip, userAgent, requestId, message, statements, fields } = entry;
  const details = statements === undefined ? fields : { ...fields, statements };
  const values = [
    ...[new Date(at).toISOString(), level, service, node, method, path, query],
    ...[status, durationMs, databaseMs, role, userId, operator, ip, userAgent, requestId],
    ...[kind === 'line' ? message : undefined, details === undefined ? undefined : JSON.stringify(details)],
  ];
  return csvLine(values.map((value) => (value === undefined ? null : guardedCell(String(value)))));
}
