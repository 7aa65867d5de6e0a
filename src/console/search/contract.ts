import { z } from 'zod';
import { type RouteTable, raw } from '../core/contract.ts';

const searchQuery = z.object({ search: z.string().trim().min(2).max(200) });

/** The groups in which the server finds results. The page adds its own, such as pages, actions and tables. */
export type SearchGroup =
  | 'columns'
  | 'rows'
  | 'users'
  | 'files'
  | 'functions'
  | 'jobs'
  | 'settings'
  | 'requests'
  | 'migrations';

/** A page of the Console with the parameters of its route. */
export interface SearchTarget {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly title: string;
  /** Where the result was found, or what it does. */
  readonly detail: string;
  readonly target: SearchTarget;
}

/** A line of the response. Groups arrive in the order in which they are found. */
export type SearchLine = {
  readonly group: SearchGroup;
  readonly hits: readonly SearchHit[];
  /** Whether the time limit ended the search before everything was searched. */
  readonly isPartial: boolean;
};

export const contract = {
  /** Searches the project. The response is NDJSON with one {@link SearchLine} per group. */
  'GET /search': { query: searchQuery, response: raw },
} as const satisfies RouteTable;
