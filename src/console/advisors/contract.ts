import { z } from 'zod';
import type { Finding } from '../../advisors/index.ts';
import { json, type RouteTable } from '../core/contract.ts';

const applyFix = z
  .object({
    /** The finding's name and cache key. The server knows the statements itself. */
    name: z.string().min(1).max(100),
    key: z.string().min(1).max(1000),
    /** The name of the migration file. If set, the statements are saved in this file. */
    migration: z
      .string()
      .regex(/^[a-z0-9_]{1,100}$/, 'may contain lowercase letters, numbers and underscores only')
      .optional(),
  })
  .strict();

export const contract = {
  'GET /advisors': { response: json<{ readonly findings: readonly Finding[] }>() },
  'POST /advisors/fix': {
    body: applyFix,
    response: json<{
      readonly statements: readonly string[];
      /** The path of the migration file that was written. */
      readonly file: string | null;
    }>(),
  },
} as const satisfies RouteTable;
