import { z } from 'zod';
import type { Finding } from '../../../project/advisors/index.ts';
import { json, type RouteTable } from '../core/contract.ts';

const applyFix = z
  .object({
    /** The finding's name and cache key. */
    name: z.string().min(1).max(100),
    key: z.string().min(1).max(10_000),
    /**
     * The SQL statements that the operator has reviewed. The server runs the fix only if the fix still consists of
     * these statements.
     */
    sql: z.string().min(1).max(100_000),
    /** The name of the migration file. If set, the statements are also saved to this file. */
    migration: z
      .string()
      .regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores')
      .optional(),
  })
  .strict();

export const contract = {
  'GET /advisors': { response: json<{ readonly findings: readonly Finding[] }>() },
  'POST /advisors/fix': {
    body: applyFix,
    response: json<{
      readonly statements: readonly string[];
      /** The path to the new migration file, or null if the request didn't ask for one. */
      readonly file: string | null;
      /** Whether the problem has been resolved. */
      readonly isGone: boolean;
    }>(),
  },
} as const satisfies RouteTable;
