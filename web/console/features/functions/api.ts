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
  readonly level: 'info' | 'warn' | 'error';
  readonly line: string;
  readonly requestId?: string;
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
