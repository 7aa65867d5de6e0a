/** Queries and search parameters for the Advisors page. */
import { queryOptions } from '@tanstack/react-query';
import type { Body, Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type Finding = Payload<'GET /advisors'>['findings'][number];

export const findingTypes = ['security', 'performance'] as const;
export type FindingType = (typeof findingTypes)[number];

export interface AdvisorsSearch {
  readonly type?: FindingType;
  /** The cache key of the finding that is open in the panel. */
  readonly open?: string;
}

export function validateAdvisorsSearch({ type, open }: Record<string, unknown>): AdvisorsSearch {
  const known = findingTypes.find((each) => each === type);
  return {
    ...(known === undefined ? {} : { type: known }),
    ...(typeof open === 'string' && open !== '' ? { open } : {}),
  };
}

export const advisorsQuery = queryOptions({
  queryKey: ['advisors'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /advisors', { signal })).findings,
});

export const applyFix = (body: Body<'POST /advisors/fix'>) => fetchConsole('POST /advisors/fix', { body });
