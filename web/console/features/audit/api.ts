import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { AuditEntry } from '../../../../src/pages/console/operators/contract.ts';

export interface AuditSearch {
  readonly search?: string;
  readonly operator?: string;
  readonly action?: string;
}

export function validateAuditSearch(search: Record<string, unknown>): AuditSearch {
  const one = (name: keyof AuditSearch) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  return { ...one('search'), ...one('operator'), ...one('action') };
}

export const auditQuery = (filter: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /audit', {
        query: { ...filter, ...(pageParam === '' ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ entries, more }) => (more ? entries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });

export const auditFacetsQuery = queryOptions({
  queryKey: ['audit-facets'],
  queryFn: ({ signal }) => fetchConsole('GET /audit/facets', { signal }),
});
