/** The input, the result types and the limits of a search. */
import type { Database, TransactionOptions } from '../../../platform/database/types.ts';
import type { OperatorRole } from '../core/roles.ts';
import type { FunctionsView } from '../functions/routes.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import type { SearchHit } from './contract.ts';

export const hitsPerGroup = 8;
/** The time limit for each group. */
export const groupTimeoutMs = 800;
export interface SearchDeps {
  readonly database: Database;
  readonly functions: Pick<FunctionsView, 'list'>;
  readonly logs: Pick<NodeLogs, 'trace'>;
}

export interface SearchInput {
  readonly search: string;
  readonly role: OperatorRole;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly hits: readonly SearchHit[];
  readonly isPartial: boolean;
}

export const limits = (signal: AbortSignal): TransactionOptions => ({
  readOnly: true,
  settings: [
    ['statement_timeout', String(groupTimeoutMs)],
    ['lock_timeout', '100'],
  ],
  signal,
});
