import { z } from 'zod';
import { type LogEntry, levels, type MetricsReport } from '../../../platform/telemetry/types.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';

const text = z.string().max(200).optional();
const instant = z.iso
  .datetime({ offset: true })
  .transform((time) => Date.parse(time))
  .optional();

const filter = {
  service: text,
  level: z.enum(levels).optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d)?$/, 'must be a status code or the first digit of a status class')
    .optional(),
  path: text,
  user: text,
  requestId: text,
  search: text,
};

const logFilter = z.object(filter);

const logPage = z.object({
  ...filter,
  since: instant,
  until: instant,
  limit: z.coerce.number<number>().int().min(1).max(500).default(100),
  /** The cursor returned with the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,16}:\d{1,9}$/)
    .transform((cursor) => {
      const [at = 0, skip = 0] = cursor.split(':').map(Number);
      return { at, skip };
    })
    .optional(),
});

/** The number of minutes for which metrics are returned. Metrics are kept for six hours. */
const metricsRange = z.object({ minutes: z.coerce.number<number>().int().min(1).max(360).default(60) });

export type { LogEntry, MetricsReport };
export type ServiceMetrics = MetricsReport['services'][number];
export type Totals = ServiceMetrics['total'];

export interface LogEntries {
  /** The log entries, newest first. */
  readonly entries: readonly LogEntry[];
  /** The cursor for the next page. Null on the last page. */
  readonly next: string | null;
}

export const contract = {
  'GET /logs': { query: logPage, response: json<LogEntries>() },
  /** Server-sent events. Each event is a {@link LogEntry}. */
  'GET /logs/tail': { query: logFilter, response: raw },
  'GET /logs/requests/:id': { response: json<{ readonly entries: readonly LogEntry[] }>() },
  'GET /metrics': { query: metricsRange, response: json<MetricsReport>() },
} as const satisfies RouteTable;
