/** The branches page's routes. */
import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

export interface BranchRow {
  readonly id: string;
  readonly name: string;
  readonly ref: string;
  readonly gitBranch: string | null;
  readonly state: 'creating' | 'running' | 'idle' | 'failed';
  /** Why the branch couldn't be created. */
  readonly problem: string | null;
  readonly withData: boolean;
  readonly isMasked: boolean;
  readonly isPersistent: boolean;
  readonly createdBy: string;
  /** Times are in ISO 8601. */
  readonly createdAt: string;
  /** When the branch is deleted if it isn't used. */
  readonly deletedAt: string | null;
  readonly apiUrl: string;
}

export interface BranchList {
  /** Whether this server can have branches. */
  readonly isAvailable: boolean;
  /** Whether the data can be copied, which is possible only with the embedded database. */
  readonly canCopy: boolean;
  readonly branches: readonly BranchRow[];
}

export interface MergePlan {
  readonly migrations: readonly { readonly version: string; readonly name: string; readonly sql: string }[];
  readonly functions: readonly string[];
  /** Schema changes of the branch that no migration contains. They aren't merged. */
  readonly unrecorded: string;
}

export const contract = {
  'GET /branches': { response: json<BranchList>() },
  'POST /branches': {
    body: z.object({
      name: z.string().max(200),
      data: z.enum(['copy', 'masked', 'none']),
      isPersistent: z.boolean(),
    }),
    response: json<{ readonly id: string }>(),
  },
  'DELETE /branches/:id': { response: noContent },
  'POST /branches/:id/reset': { response: noContent },
  'POST /branches/:id/rebase': { response: json<{ readonly migrations: number }>() },
  'GET /branches/:id/merge': { response: json<MergePlan>() },
  'POST /branches/:id/merge': { response: noContent },
  /** Creates a one-time link to the branch's Console. */
  'POST /branches/:id/link': { response: json<{ readonly url: string }>() },
} as const satisfies RouteTable;
