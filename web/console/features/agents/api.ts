/** Queries for the pages about AI agents. */
import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type {
  AgentRequest,
  AgentSummary,
  AskingAgent,
} from '../../../../src/pages/console/agents/contract.ts';
export type { OperatorRole as Role } from '../../../../src/pages/console/operators/contract.ts';

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'list'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /agents', { signal })).agents,
});

/** The request of an agent for access, which the page's URL contains. */
export const agentRequestQuery = (request: string) =>
  queryOptions({
    queryKey: ['agents', 'request', request],
    queryFn: ({ signal }) => fetchConsole('GET /agents/request', { query: { request }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export interface AuthorizeSearch {
  /** The authorization request, as the server has packed it. */
  readonly request?: string;
}

export const validateAuthorizeSearch = ({ request }: Record<string, unknown>): AuthorizeSearch =>
  typeof request === 'string' && request !== '' ? { request } : {};
