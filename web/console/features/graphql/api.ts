import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export const graphqlQuery = queryOptions({
  queryKey: ['graphql'],
  queryFn: ({ signal }) => fetchConsole('GET /graphql', { signal }),
});

export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/**
 * Sends a request as a persona. Only requests that contain a mutation can change data, so all others are sent as
 * queries, which read-only operators can send as well.
 */
export async function sendGraphql(
  { query, variables, operationName }: GraphqlRequest,
  as: string | undefined,
): Promise<unknown> {
  const { body } = await fetchConsole(
    /\bmutation\b/.test(query) ? 'POST /graphql/mutation' : 'POST /graphql/query',
    {
      body: {
        query,
        ...(variables === undefined ? {} : { variables: { ...variables } }),
        ...(operationName === undefined ? {} : { operationName }),
        ...(as === undefined ? {} : { as }),
      },
    },
  );
  return JSON.parse(body) as unknown;
}
