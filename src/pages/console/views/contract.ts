import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { identifier } from '../core/identifier.ts';
import type { Dependent } from '../routines/contract.ts';

export interface ViewRow {
  schema: string;
  name: string;
  kind: 'view' | 'materialized view';
  owner: string;
  /** Whether `postgres`, the role of all changes, has the rights of the owner. */
  may_change: boolean;
  /** Whether the view reads its tables with the privileges of the caller. Otherwise, it uses those of its owner. */
  security_invoker: boolean;
  comment: string | null;
  /** The extension that the view belongs to. */
  extension: string | null;
  /** Whether a materialized view contains data. */
  populated: boolean;
  /** The size of a materialized view with its indexes. */
  size_bytes: number;
  /** The planner's estimate for a materialized view. Null if unknown. */
  rows: number | null;
  /** Whether a materialized view has a unique index that a concurrent refresh can use. */
  can_refresh_concurrently: boolean;
}

export interface ViewDetail extends ViewRow {
  columns: { name: string; type: string }[];
  /** The statement that creates or replaces the view. Null for materialized views, which can't be replaced. */
  source: string | null;
  /** Statements that drop the view and create it again, with its indexes, triggers, grants and comments. */
  recreation: string;
  grants: { role: string; privileges: string[] }[];
  /** The tables and views that the view reads. */
  reads: { schema: string; name: string; kind: string }[];
  dependents: Dependent[];
  indexes: { name: string; definition: string; unique: boolean; size_bytes: number }[];
}

const ofView = z.object({ schema: identifier, name: identifier }).strict();

export const contract = {
  'GET /database/views': { response: json<{ readonly views: readonly ViewRow[] }>() },
  'GET /database/view': { query: ofView, response: json<ViewDetail>() },
  /** Finds the columns of a materialized view whose values are unique and not null. */
  'GET /database/view/keys': { query: ofView, response: json<{ readonly columns: readonly string[] }>() },
  'POST /database/view/refresh': {
    body: ofView.extend({ concurrently: z.boolean() }),
    response: noContent,
  },
} as const satisfies RouteTable;
