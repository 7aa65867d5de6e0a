/** The history of statements, which is sampled from pg_stat_statements every minute. */
import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

export const historyRanges = ['1h', '6h', '24h', '7d', '30d'] as const;
export type HistoryRange = (typeof historyRanges)[number];

const range = z.enum(historyRanges).default('6h');

const listQuery = z.object({
  range,
  role: z.string().max(63).optional(),
  /** Whether to include statements that Plinth's services run. */
  services: z.stringbool().default(false),
  /** The time of the change before and after which statements are compared. */
  split: z.iso
    .datetime({ offset: true })
    .transform((time) => Date.parse(time))
    .optional(),
});

const statementQuery = z.object({
  id: z.string().regex(/^-?\d{1,20}$/, 'must be a numeric ID'),
  role: z.string().min(1).max(63),
  range,
});

/** An event that can explain a change of durations. */
export interface HistoryMark {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'migration' | 'function' | 'start';
  /** The migration's version or the function's name and version. Empty for the start of a server. */
  readonly name: string;
}

/** The period that is shown, in steps. */
export interface HistoryPeriod {
  /** When the first step starts, in milliseconds since the epoch. */
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  readonly marks: readonly HistoryMark[];
}

export interface HistorySums {
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  readonly meanMs: number;
  /** Estimates, or null if an estimate would be misleading. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface HistoryStatement extends HistorySums {
  readonly id: string;
  readonly role: string;
  /** The beginning of the statement on a single line. */
  readonly text: string;
  /** The statement on a single line, with `…` in place of long column lists. */
  readonly outline: string;
  readonly firstSeenAt: string;
  /** The parts before and after the split. Null if the part has no calls, or without a split. */
  readonly before: HistorySums | null;
  readonly after: HistorySums | null;
}

export interface StatementHistory {
  /** `hosted`: Plinth creates no tables in a database of the hosted service. */
  readonly state: 'on' | 'off' | 'hosted';
  /** When the first sample was taken. Null before the first sample. */
  readonly since: string | null;
  readonly period: HistoryPeriod;
  /** The total time of each role in each step, in milliseconds, with the most expensive role first. */
  readonly roles: readonly { readonly role: string; readonly totalMs: readonly number[] }[];
  readonly statements: readonly HistoryStatement[];
  readonly isRedacted: boolean;
}

export interface StatementSeries {
  readonly period: HistoryPeriod;
  /** The calls in each step. Null in steps without calls. */
  readonly points: readonly (HistorySums | null)[];
  readonly total: HistorySums | null;
}

export const contract = {
  'GET /queries/history': { query: listQuery, response: json<StatementHistory>() },
  'GET /queries/history/statement': { query: statementQuery, response: json<StatementSeries>() },
} as const satisfies RouteTable;
