/** Calls about the audit log. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly operator_name: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Record<string, unknown>;
  readonly request_id: string | null;
}

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
      callConsole<{ entries: readonly AuditEntry[]; more: boolean }>(
        `/audit?${new URLSearchParams({ ...filter, ...(pageParam === '' ? {} : { before: pageParam }) })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ entries, more }) => (more ? entries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });

export const auditFacetsQuery = queryOptions({
  queryKey: ['audit-facets'],
  queryFn: ({ signal }) =>
    callConsole<{ operators: readonly string[]; actions: readonly string[] }>('/audit/facets', { signal }),
});
