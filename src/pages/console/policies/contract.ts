import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';
import { identifier } from '../core/identifier.ts';

const policyName = identifier;
const policy = z.object({
  name: policyName,
  command: z.enum(['all', 'select', 'insert', 'update', 'delete']),
  permissive: z.boolean(),
  roles: z.array(identifier).min(1).max(50),
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
    /** Drops the policy but keeps its definition, so that `on` can create the policy again. */
    z.object({ kind: z.literal('off'), name: policyName }),
    z.object({ kind: z.literal('on'), name: policyName }),
    z.object({ kind: z.literal('security'), enabled: z.boolean(), forced: z.boolean() }),
  ]),
  /** The name of the migration file. If set, the change is also saved to this file. */
  migration: z
    .string()
    .regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores')
    .optional(),
});

const turnedOff = z.object({
  schema: z.string().min(1).max(200),
  table: z.string().min(1).max(200),
  name: policyName,
});

export type Policy = Readonly<z.output<typeof policy>>;
export type PolicyCommand = Policy['command'];
export type PolicyChange = Readonly<z.output<typeof policyChange>['change']>;

export interface SecuredRelation {
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table';
  owner: string;
  /** For a view, whether it reads its tables with the privileges of the caller (`security_invoker`). */
  invoker: boolean;
  /** For a view, the commands that an INSTEAD OF trigger runs. */
  triggers: readonly ('insert' | 'update' | 'delete')[];
  rls: boolean;
  forced: boolean;
  /** Schema names that are on the search path are omitted in the conditions. */
  policies: readonly Policy[];
  /** The policies that are turned off. These policies don't exist in the database. */
  turnedOff: readonly Policy[];
  /**
   * The API roles' privileges on tables and columns, which policies restrict further. Commands that a view doesn't
   * support are never granted.
   */
  grants: {
    role: string;
    select: boolean;
    insert: boolean;
    update: boolean;
    delete: boolean;
    bypasses: boolean;
  }[];
}

/** A table whose policies operators can change. */
export type SecuredTable = SecuredRelation;

/**
 * A function that checks membership. The function either returns whether a row's value is allowed, or returns all
 * values that are allowed.
 */
export interface MemberFunction {
  schema: string;
  name: string;
  /**
   * The type of the function's only argument. Null if the function returns the allowed values instead of checking a
   * single value.
   */
  argument: string | null;
}

/** A table that probably connects users with groups. */
export interface MemberTable {
  schema: string;
  name: string;
  rls: boolean;
  /** The columns that contain a user's ID. */
  users: string[];
  /** The columns that identify a group, with the tables that these columns reference. */
  groups: { name: string; references: string | null }[];
}

/** The choices for policy templates, most likely first. */
export interface TemplateChoices {
  /** The table's columns. `isUser` is true for columns that probably contain a user's ID. */
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

/** The rows that a user can access now and after the change. */
export interface ComparedAccess {
  readonly access: Exclude<PolicyCommand, 'all'>;
  readonly before: number;
  readonly after: number;
  readonly gained: number;
  readonly lost: number;
  /** The keys of the first rows that the user gains and loses. */
  readonly gainedKeys: readonly string[];
  readonly lostKeys: readonly string[];
}

export interface ComparedUser {
  /** The user's ID in auth.users, or null for requests without a signed-in user. */
  readonly id: string | null;
  readonly name: string;
  readonly accesses: readonly ComparedAccess[];
  /** PostgreSQL's message, if a condition can't be evaluated for this user. In this case, `accesses` is empty. */
  readonly error: string | null;
}

export interface PolicyComparison {
  /** The users, and requests without a signed-in user. The users who signed in most recently are listed first. */
  readonly users: readonly ComparedUser[];
  /** The number of all users. */
  readonly allUsers: number;
  /** The number of compared rows. */
  readonly rows: number;
  /** An estimate of the number of rows in the table if only a part of them was compared, otherwise null. */
  readonly allRows: number | null;
}

export const contract = {
  'GET /policies': {
    response: json<{
      readonly tables: readonly SecuredTable[];
      /**
       * The relations that have no policies, or whose policies operators can't change: views, materialized views,
       * foreign tables, and tables of other owners.
       */
      readonly others: readonly SecuredRelation[];
      readonly roles: readonly string[];
    }>(),
  },
  'GET /policies/:schema/:table/choices': { response: json<TemplateChoices>() },
  'POST /policies/preview': { body: policyChange, response: json<{ readonly sql: string }>() },
  /** Compares which rows real users can access before and after a change, without making the change. */
  'POST /policies/compare': { body: policyChange, response: json<PolicyComparison>() },
  /** Deletes the definition of a policy that is turned off. */
  'POST /policies/forget': {
    body: turnedOff,
    response: json<{ readonly tables: readonly SecuredTable[] }>(),
  },
  'POST /policies': {
    body: policyChange,
    response: json<{
      readonly tables: readonly SecuredTable[];
      /** The path to the new migration file, or null if the request didn't ask for one. */
      readonly file: string | null;
    }>(),
  },
} as const satisfies RouteTable;
