/** Queries for the operators page. */
import { queryOptions } from '@tanstack/react-query';
import type { OperatorRole as Role } from '../../../../src/pages/console/operators/contract.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  Invitation,
  OperatorRole as Role,
  OperatorSummary,
  PasskeySummary as Passkey,
  SessionSummary as OperatorSession,
} from '../../../../src/pages/console/operators/contract.ts';

export type { TokenSummary } from '../../../../src/pages/console/tokens/contract.ts';

export const roles = ['owner', 'developer', 'read-only'] as const satisfies readonly Role[];
export const operatorsQuery = queryOptions({
  queryKey: ['operators', 'list'],
  queryFn: ({ signal }) => fetchConsole('GET /operators', { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['operators', 'sessions'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /sessions', { signal })).sessions,
});

export const tokensQuery = queryOptions({
  queryKey: ['operators', 'tokens'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /tokens', { signal })).tokens,
});

export const factorQuery = queryOptions({
  queryKey: ['operators', 'factor'],
  queryFn: ({ signal }) => fetchConsole('GET /factor', { signal }),
});

export const passkeysQuery = queryOptions({
  queryKey: ['operators', 'passkeys'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /factor/passkeys', { signal })).passkeys,
});

/** The common key of the page's queries, which can be used to refresh all of them together. */
export const operatorsKey = ['operators'] as const;
