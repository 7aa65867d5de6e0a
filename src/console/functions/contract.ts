/** The functions page's routes. */
import { z } from 'zod';
import type { FunctionFacts, FunctionLogLine, Invocation } from '../../functions/index.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';
import { personaText } from '../persona/contract.ts';

/** RFC 9110 section 5.6.2. */
const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "isn't a valid header name");
const headerValue = z
  .string()
  .max(8000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'has characters that no header may have');

const invocation = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
  /** The path and query after the slug: '' or a text that begins with a slash or `?`. */
  path: z
    .string()
    .max(8000)
    .regex(/^(?:[/?][!-~]*)?$/, 'begins with / or ?, and is percent-encoded')
    .default(''),
  headers: z
    .array(z.tuple([headerName, headerValue]))
    .max(50)
    .default([]),
  body: z.string().max(2_000_000).default(''),
  as: personaText,
});
const functionLogs = z.object({
  after: z.coerce.number<number>().int().min(0).default(0),
  /** The minimum level. */
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  requestId: z.string().max(200).optional(),
  search: z.string().max(200).optional(),
});
const functionInvocations = z.object({ limit: z.coerce.number<number>().int().min(1).max(200).default(50) });

export interface FunctionAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Text, or base64 when `isText` is false. */
  readonly body: string;
  readonly isText: boolean;
  /** The number of body bytes that were read. */
  readonly sizeBytes: number;
  /** Whether the body is longer than what was read. */
  readonly isCut: boolean;
  /** The time to the response's first byte, and to the last byte that was read. */
  readonly headMs: number;
  readonly totalMs: number;
  readonly requestId: string | null;
}

export type { FunctionFacts, FunctionLogLine, Invocation };

export const contract = {
  'GET /functions': { response: json<{ readonly functions: readonly FunctionFacts[] }>() },
  'GET /functions/:slug': { response: json<FunctionFacts>() },
  'POST /functions/:slug/invoke': { body: invocation, response: json<FunctionAnswer>() },
  'GET /functions/:slug/invocations': {
    query: functionInvocations,
    response: json<{ readonly invocations: readonly Invocation[] }>(),
  },
  'GET /functions/:slug/logs': {
    query: functionLogs,
    response: json<{ readonly lines: readonly FunctionLogLine[] }>(),
  },
  /** Server-sent events; each is a {@link FunctionLogLine}. */
  'GET /functions/:slug/logs/live': { query: functionLogs, response: raw },
} as const satisfies RouteTable;
