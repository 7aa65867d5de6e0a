import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

const policyName = z.string().min(1).max(63);
const policy = z.object({
  name: policyName,
  command: z.enum(['all', 'select', 'insert', 'update', 'delete']),
  permissive: z.boolean(),
  roles: z.array(z.string().min(1).max(63)).min(1).max(50),
  using: z.string().max(20_000).nullable(),
  check: z.string().max(20_000).nullable(),
});
const policyChange = z.object({
  schema: z.string().min(1).max(200),
  table: z.string().min(1).max(200),
  change: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('create'), policy }),
    z.object({ kind: z.literal('replace'), previous: policyName, policy }),
    z.object({ kind: z.literal('drop'), name: policyName }),
    z.object({ kind: z.literal('security'), enabled: z.boolean(), forced: z.boolean() }),
  ]),
});

export type Policy = Readonly<z.output<typeof policy>>;
export type PolicyCommand = Policy['command'];
export type PolicyChange = Readonly<z.output<typeof policyChange>['change']>;

export interface SecuredTable {
  schema: string;
  name: string;
  rls: boolean;
  forced: boolean;
  /** In conditions, schema names that are on the search path are omitted. */
  policies: readonly Policy[];
  /** The table and column privileges of each API role. Policies restrict them further. */
  grants: {
    role: string;
    select: boolean;
    insert: boolean;
    update: boolean;
    delete: boolean;
    bypasses: boolean;
  }[];
}

export const contract = {
  'GET /policies': {
    response: json<{ readonly tables: readonly SecuredTable[]; readonly roles: readonly string[] }>(),
  },
  'POST /policies/preview': { body: policyChange, response: json<{ readonly sql: string }>() },
  'POST /policies': {
    body: policyChange,
    response: json<{ readonly tables: readonly SecuredTable[] }>(),
  },
} as const satisfies RouteTable;
