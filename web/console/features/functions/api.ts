/** What the functions page reads, and its part of the address. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';
import { type AsSearch, validateAs } from '../../components/persona.ts';

export interface FunctionFacts {
  readonly slug: string;
  readonly verifyJwt: boolean;
  readonly entrypoint: string;
  readonly state: 'running' | 'failed' | 'idle';
  readonly pending: number;
  readonly changedAt: number;
  readonly secretNames: readonly string[];
}

export interface FunctionAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isText: boolean;
  readonly sizeBytes: number;
  readonly isCut: boolean;
  readonly headMs: number;
  readonly totalMs: number;
  readonly requestId: string | null;
}

export interface LogLine {
  readonly id: number;
  readonly at: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly line: string;
  readonly requestId?: string;
}

export interface LogFilter {
  readonly level?: string;
  readonly search?: string;
  readonly requestId?: string;
}

export interface Invocation {
  readonly id: number;
  readonly at: number;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Null: the caller went away. */
  readonly status: number | null;
  readonly code?: string;
  readonly durationMs: number;
  readonly bootMs?: number;
  readonly cpuMs?: number;
  readonly memoryBytes?: number;
}

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
  queryFn: async ({ signal }) =>
    (await callConsole<{ functions: readonly FunctionFacts[] }>('/functions', { signal })).functions,
  refetchInterval: refreshMs,
});

export const functionPath = (slug: string): string => `/functions/${encodeURIComponent(slug)}`;

export const invocationsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['function-invocations', slug],
    queryFn: async ({ signal }) =>
      (
        await callConsole<{ invocations: readonly Invocation[] }>(`${functionPath(slug)}/invocations`, {
          signal,
        })
      ).invocations,
    refetchInterval: refreshMs,
  });

export const liveLogPath = (slug: string, filter: LogFilter): string =>
  `${functionPath(slug)}/logs/live?${new URLSearchParams({ ...filter })}`;
