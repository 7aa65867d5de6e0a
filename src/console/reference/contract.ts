/** The API page's routes. */
import { z } from 'zod';
import { json, type RouteTable, raw } from '../core/contract.ts';

const trial = z.object({
  as: z.string().max(20_000).optional(),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  /** The path below `/rest/v1/`: a relation, or `rpc/` and a function, with the query. */
  path: z
    .string()
    .max(8000)
    .regex(/^(rpc\/)?[^/?#\\]+(\?[^#]*)?$/, 'is not a table or function with its query'),
  body: z.string().max(1_000_000).optional(),
  /** An exposed schema. The default is the first one. */
  schema: z.string().min(1).max(63).optional(),
  /** Whether the request's changes are rolled back. */
  rollsBack: z.boolean().default(true),
});

export interface ExposedFunction {
  schema: string;
  name: string;
  arguments: { name: string; type: string; required: boolean }[];
  /** PostgreSQL's text representation of the type, for example `SETOF tasks`. */
  returns: string;
  /** Whether the function may write. */
  volatile: boolean;
  comment: string | null;
}

export interface ExposedSchemas {
  /** A request without a schema uses the first. */
  readonly schemas: readonly string[];
  readonly functions: readonly ExposedFunction[];
}

/** The response of a request that was tried. */
export interface TrialResponse {
  readonly status: number;
  readonly body: string;
  /** The body is longer than what is shown. */
  readonly isCut: boolean;
}

export const contract = {
  'GET /reference': { response: json<ExposedSchemas>() },
  'POST /reference/try': { body: trial, response: json<TrialResponse>() },
  /** A TypeScript file. */
  'GET /reference/types': { response: raw },
} as const satisfies RouteTable;
