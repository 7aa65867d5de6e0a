import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { JournalDetail, JournalEntry, JournalRow } from '../../../../src/pages/console/undo/contract.ts';

export interface UndoSearch {
  readonly operator?: string;
  readonly action?: string;
  readonly table?: string;
}

export function validateUndoSearch(search: Record<string, unknown>): UndoSearch {
  const one = (name: keyof UndoSearch) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  return { ...one('operator'), ...one('action'), ...one('table') };
}

export const undoQuery = (filter: UndoSearch) =>
  infiniteQueryOptions({
    queryKey: ['undo', filter],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /undo', {
        query: { ...filter, ...(pageParam === 0 ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ entries, more }) => (more ? entries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });

export const undoFacetsQuery = queryOptions({
  queryKey: ['undo-facets'],
  queryFn: ({ signal }) => fetchConsole('GET /undo/facets', { signal }),
});

export const undoEntryQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['undo-entry', id],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /undo/:id', { params: { id }, query: { offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ rows, total }) => {
      const next = (rows.at(-1)?.number ?? total) + 1;
      return next < total ? next : undefined;
    },
  });
