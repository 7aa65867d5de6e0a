import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

const request = z.object({
  as: z.string().max(20_000).optional(),
  query: z.string().min(1).max(1_000_000),
  variables: z.record(z.string(), z.unknown()).optional(),
  operationName: z.string().max(1000).optional(),
});

/** Whether and how the project serves GraphQL. */
export interface GraphqlStatus {
  /** The version of the extension pg_graphql. Null if it isn't created. */
  readonly version: string | null;
  /** Whether `[graphql] without_extension` is enabled. */
  readonly withoutExtension: boolean;
  /** Whether `[api] schemas` contains graphql_public. */
  readonly isExposed: boolean;
  /** The schemas on the search path, and whether they allow introspection. */
  readonly schemas: readonly { readonly name: string; readonly introspection: boolean }[];
}

export interface GraphqlResponse {
  readonly status: number;
  readonly body: string;
  /** Whether the body continues after the part that is shown. */
  readonly isCut: boolean;
}

export const contract = {
  'GET /graphql': { response: json<GraphqlStatus>() },
  /** Runs a query in a read-only transaction. */
  'POST /graphql/query': { body: request, response: json<GraphqlResponse>() },
  'POST /graphql/mutation': { body: request, response: json<GraphqlResponse>() },
} as const satisfies RouteTable;
