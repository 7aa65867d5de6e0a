import { json, type RouteTable } from '../core/contract.ts';

export interface IndexUse {
  schema: string;
  table: string;
  name: string;
  method: string;
  definition: string;
  unique: boolean;
  valid: boolean;
  /** The constraint that the index belongs to. */
  constraint: string | null;
  size_bytes: number;
  /** The number of index scans since the statistics were last reset. */
  scans: number;
  /** The time of the last scan. Null if unknown or never. PostgreSQL records it since version 16. */
  last_scan: string | null;
  /** The index that makes this one unnecessary, because it has the same columns, or these columns at its start. */
  covered_by: string | null;
}

/** A foreign key whose columns no index starts with. */
export interface UnindexedKey {
  schema: string;
  table: string;
  name: string;
  columns: string[];
  /** The planner's estimate. Null if unknown. */
  rows: number | null;
}

export interface IndexList {
  readonly indexes: readonly IndexUse[];
  readonly unindexed_keys: readonly UnindexedKey[];
  /** The time of the last reset of the statistics. Null if they were never reset. */
  readonly since: string | null;
}

export const contract = {
  'GET /database/indexes': { response: json<IndexList>() },
} as const satisfies RouteTable;
