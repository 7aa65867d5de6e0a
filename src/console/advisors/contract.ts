import { z } from 'zod';
import type { Finding } from '../../advisors/index.ts';
import { json, type RouteTable } from '../core/contract.ts';

const applyFix = z
  .object({
    /** The finding's name and cache key. */
    name: z.string().min(1).max(100),
    key: z.string().min(1).max(10_000),
    /**
     * The statements that the operator has seen. The server runs the fix only if it still consists of these statements.
     */
    sql: z.string().min(1).max(100_000),
    /** The migration file's name. If set, the statements are saved in this file. */
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
      /** The path to the migration file that was written, or null if none was requested. */
      readonly file: string | null;
      /** Whether the problem no longer exists. */
      readonly isGone: boolean;
    }>(),
  },
} as const satisfies RouteTable;
