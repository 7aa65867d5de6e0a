import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import type { RawPlan } from '../sql-page/contract.ts';

export const statementOrders = ['total', 'mean', 'calls', 'rows', 'max'] as const;
export type StatementOrder = (typeof statementOrders)[number];

const listQuery = z.object({
  order: z.enum(statementOrders).default('total'),
  /** The text that statements must contain. */
  search: z.string().max(500).optional(),
  role: z.string().max(63).optional(),
  /** Whether to include statements that Plinth's services and the Console run. */
  services: z.stringbool().default(false),
});

/** Identifies a statement by its text and role. The statement ID is a bigint as text. */
const statementKey = z.object({
  id: z.string().regex(/^-?\d{1,20}$/, 'must be a numeric ID'),
  role: z.string().min(1).max(63),
});

const session = z
  .object({
    pid: z.number().int().min(1),
    /** When the session began. Distinguishes the session from a later session with the same process ID. */
    began: z.iso.datetime({ offset: true }),
  })
  .strict();

export interface StatementNumbers {
  readonly calls: number;
  readonly totalMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
  readonly minMs: number;
  readonly stddevMs: number;
  readonly rows: number;
  /** The share of this statement in the total time of all statements, between 0 and 1. */
  readonly share: number;
  /** The fraction of blocks that were found in the cache, between 0 and 1. Null if no blocks were read. */
  readonly cacheHits: number | null;
}

export interface StatementRow extends StatementNumbers {
  readonly id: string;
  readonly role: string;
  /** The beginning of the statement on a single line. */
  readonly text: string;
  /** The statement on a single line, with `…` in place of long column lists. */
  readonly outline: string;
}

export interface StatementDetails extends StatementNumbers {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly temporaryBytes: number;
  readonly walBytes: number;
  /** Whether PostgreSQL can generate a plan for the statement. */
  readonly hasPlan: boolean;
}

export interface GenericPlan {
  readonly plan: RawPlan;
  /** The role whose policies and privileges were used for the plan. */
  readonly role: string;
  readonly advice: readonly Advice[];
}

/** A full table scan that could be replaced with a much faster index scan. */
export interface Advice {
  readonly schema: string;
  readonly table: string;
  readonly rows: number;
  /** The estimated number of rows that satisfy the scan's condition. */
  readonly kept: number;
  /** The scan's condition, for which a suitable index is missing. */
  readonly filter: string;
  /** The statement that creates the index. */
  readonly index: string;
}

export interface ActivityRow {
  readonly pid: number;
  readonly began: string;
  readonly role: string;
  readonly program: string;
  readonly state: string;
  /** What the session is waiting for, such as `Lock: transactionid`. Null if the session isn't waiting. */
  readonly waitsFor: string | null;
  readonly statementMs: number | null;
  readonly transactionMs: number | null;
  /** The process IDs of the sessions that hold the lock that this session is waiting for. */
  readonly blockedBy: readonly number[];
  readonly text: string;
  /** The statement on a single line, with `…` in place of long column lists. */
  readonly outline: string;
}

export const contract = {
  'GET /queries': {
    query: listQuery,
    response: json<{
      /** Whether pg_stat_statements is available. */
      readonly isAvailable: boolean;
      /** When the statistics were last reset. */
      readonly since: string | null;
      readonly roles: readonly string[];
      readonly statements: readonly StatementRow[];
      /** Whether literals are hidden because the operator isn't allowed to read secrets. */
      readonly isRedacted: boolean;
    }>(),
  },
  'GET /queries/statement': { query: statementKey, response: json<StatementDetails>() },
  'GET /queries/plan': { query: statementKey, response: json<GenericPlan>() },
  'POST /queries/reset': { response: noContent },
  'GET /queries/activity': {
    response: json<{ readonly sessions: readonly ActivityRow[]; readonly isRedacted: boolean }>(),
  },
  'POST /queries/activity/cancel': { body: session, response: noContent },
  'POST /queries/activity/terminate': { body: session, response: noContent },
} as const satisfies RouteTable;
