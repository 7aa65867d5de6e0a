import { z } from 'zod';
import { type RouteTable, raw } from '../core/contract.ts';

const searchQuery = z.object({ search: z.string().trim().min(2).max(200) });

/**
 * The groups of search results that the server can find. The page adds groups that it finds itself, such as pages,
 * actions and tables.
 */
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

/** A Console page and its route parameters. */
export interface SearchTarget {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly title: string;
  /** Where the result was found, or what selecting it does. */
  readonly detail: string;
  readonly target: SearchTarget;
}

/** A line of the response to a search. Each group is sent as soon as its results have been found. */
export type SearchLine = {
  readonly group: SearchGroup;
  readonly hits: readonly SearchHit[];
  /** Whether a limit or an error ended the search for this group before it was complete. */
  readonly isPartial: boolean;
};

export const contract = {
  /** Searches the project. The response is NDJSON with one {@link SearchLine} per group. */
  'GET /search': { query: searchQuery, response: raw },
} as const satisfies RouteTable;
