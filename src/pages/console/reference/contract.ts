import { z } from 'zod';
import { json, type RouteTable, raw } from '../core/contract.ts';

const trial = z.object({
  as: z.string().max(20_000).optional(),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  /**
   * The path after `/rest/v1/`, including the query. The path begins with a relation's name, or with `rpc/` and a
   * function's name.
   */
  path: z
    .string()
    .max(8000)
    .regex(/^(rpc\/)?[^/?#\\]+(\?[^#]*)?$/, "isn't a table or function, optionally with a query"),
  body: z.string().max(1_000_000).optional(),
  /** An exposed schema. Defaults to the first schema that the REST API exposes. */
  schema: z.string().min(1).max(63).optional(),
  /** Whether the changes made by the request are rolled back. */
  rollsBack: z.boolean().default(true),
});

export interface ExposedFunction {
  schema: string;
  name: string;
  arguments: { name: string; type: string; required: boolean }[];
  /** The return type in PostgreSQL's notation, such as `SETOF tasks`. */
  returns: string;
  /** Whether the function can change data. */
  volatile: boolean;
  comment: string | null;
}

export interface ExposedSchemas {
  /** The exposed schemas. The first schema in the list is the default. */
  readonly schemas: readonly string[];
  readonly functions: readonly ExposedFunction[];
}

/** The response to a request that the operator sent on this page. */
export interface TrialResponse {
  readonly status: number;
  readonly body: string;
  /** Whether the body continues after the part that is shown. */
  readonly isCut: boolean;
}

export const contract = {
  'GET /reference': { response: json<ExposedSchemas>() },
  'POST /reference/try': { body: trial, response: json<TrialResponse>() },
  /** Returns a file that contains TypeScript types. */
  'GET /reference/types': { response: raw },
} as const satisfies RouteTable;
