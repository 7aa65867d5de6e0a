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

export const contract = {
  'GET /home': { response: json<Home>() },
} as const satisfies RouteTable;
