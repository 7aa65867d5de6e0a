import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../../api/session.ts';
import { type ObjectSearch, validateObjectSearch } from '../list-search.ts';

export type { IndexUse, UnindexedKey } from '../../../../../src/pages/console/indexes/contract.ts';

export const shows = ['unused', 'unnecessary', 'invalid'] as const;
export const orders = ['size', 'scans', 'last'] as const;

export interface IndexSearch extends ObjectSearch {
  /** Whether only unused, unnecessary or invalid indexes are listed. */
  readonly among?: (typeof shows)[number];
  readonly order?: (typeof orders)[number];
}

export const validateIndexSearch = (search: Readonly<Record<string, unknown>>): IndexSearch => {
  const among = shows.find((known) => known === search.among);
  const order = orders.find((known) => known === search.order);
  return {
    ...validateObjectSearch(search),
    ...(among === undefined ? {} : { among }),
    ...(order === undefined ? {} : { order }),
  };
};

export const indexesQuery = queryOptions({
  queryKey: ['database-indexes'],
  queryFn: ({ signal }) => fetchConsole('GET /database/indexes', { signal }),
});
