/** The shape of a function's invocation. */
import { z } from 'zod';

/** RFC 9110 section 5.6.2. */
const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header');
const headerValue = z
  .string()
  .max(8000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'has characters that no header may have');

export const invocation = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
  /** Behind the slug: '', or a path with its slash, with the query. */
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
  as: z.string().max(12_000).optional(),
});
export const functionLogs = z.object({
  after: z.coerce.number().int().min(0).default(0),
  /** This level, or a graver one. */
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  requestId: z.string().max(200).optional(),
  search: z.string().max(200).optional(),
});
export const functionInvocations = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) });
