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
  /** The name of the migration file. If set, the change is saved in this file. */
  migration: z
    .string()
    .regex(/^[a-z0-9_]{1,100}$/, 'may contain lowercase letters, numbers and underscores only')
    .optional(),
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

/** A function that can decide about membership: it accepts a row's value, or it returns the allowed values. */
export interface MemberFunction {
  schema: string;
  name: string;
  /** The type of the only argument. Null if the function returns the allowed values instead. */
  argument: string | null;
}

/** A table that probably connects users with groups. */
export interface MemberTable {
  schema: string;
  name: string;
  rls: boolean;
  /** Columns that contain a user's ID. */
  users: string[];
  /** Columns that identify the group, with the table that they reference. */
  groups: { name: string; references: string | null }[];
}

/** What templates can choose from. The most likely choices come first. */
export interface TemplateChoices {
  /** The columns of the table. `isUser` marks those that probably contain a user's ID. */
  readonly columns: readonly {
    name: string;
    type: string;
    isUser: boolean;
    isKey: boolean;
    references: string | null;
  }[];
  readonly memberTables: readonly MemberTable[];
  readonly memberFunctions: readonly MemberFunction[];
}

export const contract = {
  'GET /policies': {
    response: json<{ readonly tables: readonly SecuredTable[]; readonly roles: readonly string[] }>(),
  },
  'GET /policies/:schema/:table/choices': { response: json<TemplateChoices>() },
  'POST /policies/preview': { body: policyChange, response: json<{ readonly sql: string }>() },
  'POST /policies': {
    body: policyChange,
    response: json<{
      readonly tables: readonly SecuredTable[];
      /** The path of the migration file that was written. */
      readonly file: string | null;
    }>(),
  },
} as const satisfies RouteTable;
