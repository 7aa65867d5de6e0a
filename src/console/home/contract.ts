import type { FindingCategory } from '../../advisors/index.ts';
import { json, type RouteTable } from '../core/contract.ts';

export interface SkippedStatement {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface DatabaseLimit {
  readonly message: string;
  readonly statements: readonly string[];
}

/** Whether each onboarding step is done. */
export type Progress = Readonly<
  Record<'table' | 'policy' | 'user' | 'bucket' | 'function' | 'message', boolean>
>;

export interface Home {
  readonly project: string;
  readonly url: string;
  readonly publishableKey: string;
  readonly anonKey: string;
  readonly database: { readonly version: string; readonly embedded: boolean; readonly url: string };
  readonly progress: Progress;
  /** Statements in migrations and seeds that were skipped at startup. If there are any, the schema is incomplete. */
  readonly skipped: readonly SkippedStatement[];
  /** Features that the external database server limits, and the statements that enable them. */
  readonly limits: readonly DatabaseLimit[];
  /** Each service and its problem, or null if the service works. */
  readonly services: readonly { readonly name: string; readonly fault: string | null }[];
}

/** Figures of the project. Null if a figure can't be read. */
export interface Overview {
  /** The requests of the last hour, without those to the Console, in steps of `stepMs`. */
  readonly traffic: {
    /** When the first step starts, in milliseconds since the epoch. */
    readonly start: number;
    readonly stepMs: number;
    readonly requests: readonly number[];
    /** Responses with a status of 4xx. */
    readonly refused: readonly number[];
    /** Responses with a status of 5xx. */
    readonly failed: readonly number[];
  };
  readonly users: {
    readonly total: number;
    readonly isEstimate: boolean;
    /** New users on each of the last 14 days (UTC), today last. Null if counting them would read the whole table. */
    readonly perDay: readonly number[] | null;
  } | null;
  readonly database: {
    readonly bytes: number;
    readonly connections: number;
    readonly maxConnections: number;
  } | null;
  readonly storage: { readonly objects: number; readonly bytes: number; readonly isEstimate: boolean } | null;
}

/** Something that needs attention. */
export type Problem = { readonly severity: 'error' | 'warning' } & (
  | { readonly kind: 'service'; readonly service: string; readonly fault: string }
  /** The disk is filling up, or a certificate expires soon. */
  | { readonly kind: 'condition'; readonly part: 'disk' | 'tls'; readonly message: string }
  /** Responses with a status of 5xx in the last hour. */
  | { readonly kind: 'server-errors'; readonly service: string; readonly count: number }
  | {
      readonly kind: 'job';
      readonly job: string;
      readonly name: string;
      /** The number of failures among the last ten runs. */
      readonly failures: number;
    }
  /** The message is null if the only problem is that a scheduled backup is overdue. */
  | { readonly kind: 'backup'; readonly message: string | null }
  | {
      readonly kind: 'advisors';
      readonly category: FindingCategory;
      readonly errors: number;
      readonly warnings: number;
    }
  | {
      readonly kind: 'slow-statement';
      readonly id: string;
      readonly role: string;
      readonly meanMs: number;
      readonly calls: number;
    }
  /** A source of problems that couldn't be read. */
  | { readonly kind: 'unchecked'; readonly source: 'jobs' | 'advisors' | 'statements' }
  /** Errors in the settings files. */
  | { readonly kind: 'invalid-settings'; readonly count: number }
  /** Changed settings that take effect after a restart. */
  | { readonly kind: 'restart'; readonly settings: readonly string[] }
);

export const contract = {
  'GET /home': { response: json<Home>() },
  'GET /home/overview': { response: json<Overview>() },
  'GET /home/problems': { response: json<{ readonly problems: readonly Problem[] }>() },
} as const satisfies RouteTable;
