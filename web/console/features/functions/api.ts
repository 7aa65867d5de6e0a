import { queryOptions } from '@tanstack/react-query';
import { type Address, consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { type AsSearch, validateAs } from '../../components/persona/persona.ts';

export type {
  ActivityMinute,
  FunctionEditing,
  FunctionFacts,
  FunctionLogLine as LogLine,
  FunctionResponse,
  Invocation,
  SourceFile,
  SyntaxFault,
} from '../../../../src/pages/console/functions/contract.ts';

export type LogFilter = Pick<
  NonNullable<Address<'GET /functions/:slug/logs/live'>['query']>,
  'level' | 'search' | 'requestId'
>;

export interface FunctionsSearch extends AsSearch {
  readonly name?: string;
  /** Shows the secrets that all functions share, instead of a function. */
  readonly view?: 'secrets';
  /** The path to the file in the code view. */
  readonly file?: string;
}

export function validateFunctionsSearch(search: Record<string, unknown>): FunctionsSearch {
  const { name, file, view } = search;
  return {
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(view === 'secrets' ? { view } : {}),
    ...(typeof file === 'string' && file !== '' ? { file } : {}),
    ...validateAs(search),
  };
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
      await fetchConsole('GET /functions/:slug/invocations', { params: { slug }, signal }),
    refetchInterval: refreshMs,
  });

export const liveLogUrl = (slug: string, filter: LogFilter): string =>
  consoleUrl('GET /functions/:slug/logs/live', { params: { slug }, query: filter });

export const activityQuery = (slug: string) =>
  queryOptions({
    queryKey: ['function-activity', slug],
    queryFn: async ({ signal }) =>
      await fetchConsole('GET /functions/:slug/activity', { params: { slug }, signal }),
    refetchInterval: refreshMs,
  });

export const filesQuery = (slug: string, changedAt: number) =>
  queryOptions({
    queryKey: ['function-files', slug, changedAt],
    queryFn: ({ signal }) => fetchConsole('GET /functions/:slug/files', { params: { slug }, signal }),
  });

export const fileQuery = (slug: string, path: string, changedAt: number) =>
  queryOptions({
    queryKey: ['function-file', slug, path, changedAt],
    queryFn: ({ signal }) =>
      fetchConsole('GET /functions/:slug/file', { params: { slug }, query: { path }, signal }),
  });

export const secretsQuery = queryOptions({
  queryKey: ['function-secrets'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /function-secrets', { signal })).secrets,
});
