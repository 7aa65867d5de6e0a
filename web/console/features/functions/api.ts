import { queryOptions } from '@tanstack/react-query';
import { type Address, consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { type AsSearch, validateAs } from '../../components/persona.ts';

export type {
  FunctionFacts,
  FunctionLogLine as LogLine,
  FunctionResponse,
  Invocation,
} from '../../../../src/console/functions/contract.ts';

export type LogFilter = Pick<
  NonNullable<Address<'GET /functions/:slug/logs/live'>['query']>,
  'level' | 'search' | 'requestId'
>;

export interface FunctionsSearch extends AsSearch {
  readonly name?: string;
}

export function validateFunctionsSearch(search: Record<string, unknown>): FunctionsSearch {
  const { name } = search;
  return { ...(typeof name === 'string' && name !== '' ? { name } : {}), ...validateAs(search) };
}

const refreshMs = 10_000;

export const functionsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /functions', { signal })).functions,
  refetchInterval: refreshMs,
});

export const invocationsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['function-invocations', slug],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /functions/:slug/invocations', { params: { slug }, signal })).invocations,
    refetchInterval: refreshMs,
  });

export const liveLogUrl = (slug: string, filter: LogFilter): string =>
  consoleUrl('GET /functions/:slug/logs/live', { params: { slug }, query: filter });
