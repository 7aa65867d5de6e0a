/** Shapes of what the API page sends. */
import { z } from 'zod';

export const trial = z.object({
  as: z.string().max(20_000).optional(),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  /** Below `/rest/v1/`: a relation or `rpc/` and a function, then the query. */
  path: z
    .string()
    .max(8000)
    .regex(/^(rpc\/)?[^/?#\\]+(\?[^#]*)?$/, 'is not a table or function with its query'),
  body: z.string().max(1_000_000).optional(),
  /** One of those that REST shows; the first unless named. */
  schema: z.string().min(1).max(63).optional(),
  /** False: what it writes stays. */
  rollsBack: z.boolean().default(true),
});
