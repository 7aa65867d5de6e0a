import type { FindingCategory } from '../../../project/advisors/index.ts';
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

/** Whether each onboarding step has been completed. */
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
  /**
   * Statements in migrations and seeds that were skipped at startup. If this list isn't empty, the schema is
   * incomplete.
   */
  readonly skipped: readonly SkippedStatement[];
  /** Features that the external database server restricts, with the statements that enable them. */
  readonly limits: readonly DatabaseLimit[];
  /** The name of each service, with a description of its problem or null if the service is healthy. */
  readonly services: readonly { readonly name: string; readonly fault: string | null }[];
}

/** The project's statistics. Statistics that can't be read are null. */
export interface Overview {
  /** Requests in the last hour in steps of `stepMs`, excluding requests to the Console. */
  readonly traffic: {
    /** When the first step starts, in milliseconds since the epoch. */
    readonly start: number;
    readonly stepMs: number;
    readonly requests: readonly number[];
    /** The number of responses with a 4xx status, for each step. */
    readonly refused: readonly number[];
    /** The number of responses with a 5xx status, for each step. */
    readonly failed: readonly number[];
  };
  readonly users: {
    readonly total: number;
    readonly isEstimate: boolean;
    /**
     * The number of new users on each of the last 14 days (UTC), including today. Null if counting these users would
     * require reading the whole table.
     */
    readonly perDay: readonly number[] | null;
  } | null;
  readonly database: {
    readonly bytes: number;
    readonly connections: number;
    readonly maxConnections: number;
  } | null;
  readonly storage: { readonly objects: number; readonly bytes: number; readonly isEstimate: boolean } | null;
}

/** A problem that needs attention. */
export type Problem = { readonly severity: 'error' | 'warning' } & (
  | { readonly kind: 'service'; readonly service: string; readonly fault: string }
  /** The disk is almost full, or a certificate expires soon. */
  | { readonly kind: 'condition'; readonly part: 'disk' | 'tls'; readonly message: string }
  /** A health check of another node that isn't ok. */
  | { readonly kind: 'node'; readonly node: string; readonly check: string; readonly message: string }
  /** A node that doesn't answer, or that ended without being stopped. */
  | { readonly kind: 'node-missing'; readonly node: string; readonly isGone: boolean }
  /** The number of responses with a 5xx status in the last hour, from all nodes. */
  | { readonly kind: 'server-errors'; readonly service: string; readonly count: number }
  | {
      readonly kind: 'job';
      readonly job: string;
      readonly name: string;
      /** How many of the job's last ten runs failed. */
      readonly failures: number;
    }
  /** A problem with the backups. The message is null if the only problem is an overdue backup. */
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
  /** A statement that has become slower in the last hour, or a new statement that takes a large part of the time. */
  | {
      readonly kind: 'slower-statement' | 'new-statement';
      readonly id: string;
      readonly role: string;
      /** The mean of the 23 hours before. Null for a new statement. */
      readonly beforeMs: number | null;
      readonly meanMs: number;
      readonly calls: number;
    }
  /** Wrong passwords and codes that were entered in the last ten minutes, for `accounts` accounts and networks. */
  | { readonly kind: 'sign-in-attack'; readonly accounts: number; readonly failures: number }
  /** A part of the project that couldn't be checked for problems. */
  | { readonly kind: 'unchecked'; readonly source: 'jobs' | 'advisors' | 'statements' | 'nodes' | 'attacks' }
  /** An enabled sign-in provider whose client ID or secret is missing. */
  | {
      readonly kind: 'provider';
      /** The provider's name in the settings files, such as `github`. */
      readonly provider: string;
      readonly title: string;
      readonly missing: readonly ('client_id' | 'secret')[];
    }
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
