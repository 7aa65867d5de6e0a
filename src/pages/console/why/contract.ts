import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';
import { personaText } from '../persona/contract.ts';

const cells = z.record(z.string(), z.string().nullable());
const why = z.object({
  schema: z.string().min(1).max(200),
  table: z.string().min(1).max(200),
  as: personaText,
  operation: z.enum(['select', 'insert', 'update', 'delete']),
  key: cells.default({}),
  values: cells.default({}),
  /**
   * The columns that an update sets to their current values, because the new values are unknown. If an update has
   * neither new values nor such columns, it sets one column that the role may update.
   */
  unchanged: z.array(z.string()).max(2000).default([]),
  returned: z.array(z.string()).max(2000).default([]),
});

export type RelationKind = 'table' | 'view' | 'materialized view' | 'foreign table';
export type Operation = 'select' | 'insert' | 'update' | 'delete';

/** The result of running a statement. `hidden` means that the statement affected no rows and caused no error. */
export type AccessResult = 'allowed' | 'hidden' | 'refused';

export interface PolicyFunction {
  readonly name: string;
  /** Whether the function runs with the privileges of its owner. */
  readonly securityDefiner: boolean;
  readonly owner: string;
  readonly mayExecute: boolean;
}

/** A privilege that the statement requires. */
export interface Need {
  readonly kind: 'schema' | 'table' | 'columns' | 'sequence' | 'function';
  /** The quoted name of the object, including its schema. */
  readonly name: string;
  readonly privilege: string;
  readonly held: boolean;
  /** The GRANT statement that grants the privilege. */
  readonly fix: string;
}

/** The reason why row-level security applies or doesn't apply. Policies are evaluated only if the value is `on`. */
export type Security = 'on' | 'off' | 'superuser' | 'bypassrls' | 'owner';

/**
 * The value of a condition for the row: true, false, NULL, or the error that was raised when the condition was
 * evaluated.
 */
export interface Value {
  readonly value: boolean | null;
  readonly error: string | null;
}

/** A subselect in a condition, and the rows that the role evaluating the condition can read through the subselect. */
export interface EvaluatedRows {
  readonly from: string;
  /**
   * The number of rows that the subselect would read without its WHERE clause. Null if the subselect groups or combines
   * rows.
   */
  readonly total: number | null;
  readonly matched: number;
  /**
   * The number of rows that match the subselect's WHERE clause but that row-level security hides from the role. Null if
   * unknown.
   */
  readonly hidden: number | null;
  /** Whether one of the numbers is only a lower bound, because counting was stopped early. */
  readonly isCut: boolean;
  /**
   * The parts of the WHERE clause that are combined with AND, each with the number of rows that match this part alone.
   */
  readonly conditions: readonly {
    readonly text: string;
    readonly matched: number;
    readonly operands: readonly Operand[];
  }[];
  /** The first rows that match. Empty if the operator may not read these rows. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export interface Operand {
  readonly text: string;
  readonly value: string | null;
}

/**
 * The reason why the body of a function isn't evaluated. `language`: the function isn't written in SQL. `form`: the
 * body isn't a single SELECT, or a parameter has a pseudo-type. `role`: the body can't be evaluated as the role that
 * would run it. `limit`: the nesting limit or the time limit was reached.
 */
export type UnfoldNote = 'language' | 'form' | 'role' | 'limit';

/** A function call in a condition, and the body of the function. */
export interface EvaluatedCall {
  /** The name of the function, with the types of its parameters. */
  readonly name: string;
  /** The function call as written in the condition. */
  readonly text: string;
  readonly value: string | null;
  /** Whether the value is hidden from the operator. */
  readonly isHidden: boolean;
  readonly language: string;
  readonly securityDefiner: boolean;
  /** The role with whose privileges the body runs. */
  readonly role: string;
  readonly arguments: readonly (Operand & { readonly name: string | null })[];
  /**
   * The source of the body, with the values of the arguments in place of the parameters. Null for functions whose body
   * isn't shown, such as `auth.uid()`.
   */
  readonly body: string | null;
  readonly note: UnfoldNote | null;
  /** The function's body, parsed as a condition. Null if the function's body isn't a condition. */
  readonly tree: EvaluatedExpression | null;
  readonly rows: readonly EvaluatedRows[];
  readonly calls: readonly EvaluatedCall[];
}

export type EvaluatedExpression = (
  | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly EvaluatedExpression[] }
  | {
      readonly kind: 'test';
      /** The expressions that are compared, with their values. */
      readonly operands: readonly Operand[];
      readonly rows: readonly EvaluatedRows[];
      readonly calls: readonly EvaluatedCall[];
    }
) &
  Value & { readonly text: string };

export interface EvaluatedPolicy extends Value {
  readonly name: string;
  readonly permissive: boolean;
  readonly command: 'all' | Operation;
  readonly roles: readonly string[];
  readonly applies: boolean;
  /**
   * The policy's condition with the values of its parts. Undefined if the policy doesn't apply to this gate or doesn't
   * have a condition for it.
   */
  readonly tree: EvaluatedExpression | undefined;
  readonly functions: readonly PolicyFunction[];
}

export interface Gate {
  readonly clause: 'using' | 'check';
  /** The command whose policies are evaluated. */
  readonly command: Operation;
  readonly row: 'old' | 'new';
  readonly effect: 'hides' | 'refuses';
  /** The relation whose policies are evaluated. */
  readonly relation: { readonly schema: string; readonly name: string };
  /**
   * The role for which the policies are evaluated. For a relation behind a view, this role is the owner of the view or
   * the persona's role.
   */
  readonly role: string;
  readonly policies: readonly EvaluatedPolicy[];
  /** Whether the row is allowed through the gate. Null if the result is unknown because a condition caused an error. */
  readonly passes: boolean | null;
}

/** The reason for the result. The page has a text for each code. */
export type Reason =
  | 'grant'
  | 'no-row'
  | 'not-in-view'
  | 'not-secured'
  | 'no-policy'
  | 'policy'
  | 'restrictive'
  | 'evaluation'
  | 'behind'
  | 'passes';

export interface Explanation {
  readonly verdict: AccessResult;
  readonly reason: Reason;
  /** The index of the gate that determined the result. */
  readonly gate: number | null;
}

export interface Truth {
  readonly verdict: AccessResult;
  readonly sqlstate: string | null;
  readonly message: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
}

/** A relation that is read through a view. */
export interface Through {
  readonly schema: string;
  readonly name: string;
  readonly kind: RelationKind;
  /** The role that reads the relation, which is the owner of the view or the persona's role. */
  readonly role: string;
  readonly mayRead: boolean;
  readonly security: Security;
  /**
   * Whether the relation's policies were evaluated. The policies can't be evaluated if the view doesn't show the key of
   * the relation.
   */
  readonly isEvaluated: boolean;
  readonly depth: number;
}

export interface AccessReport {
  readonly relation: {
    readonly schema: string;
    readonly name: string;
    readonly kind: RelationKind;
    readonly owner: string;
    readonly rls: boolean;
    readonly forced: boolean;
  };
  readonly operation: Operation;
  /** The columns that the update set to their current values. */
  readonly unchanged: readonly string[];
  readonly role: string;
  /** The display name of the persona. */
  readonly persona: string;
  readonly roleExists: boolean;
  readonly needs: readonly Need[];
  readonly security: Security;
  readonly gates: readonly Gate[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly through: readonly Through[];
  readonly explanation: Explanation;
  readonly truth: Truth;
  /**
   * Whether the explanation is consistent with the database's result. If false, a constraint, a trigger or a view
   * determined the result.
   */
  readonly agrees: boolean;
}

/** The access of one user to a row. */
export interface UserAccess {
  /** The user's ID in auth.users, or null for requests without a signed-in user. */
  readonly id: string | null;
  readonly name: string;
  /** `update` is whether the user could save the row without a change. */
  readonly allowed: Readonly<Record<Exclude<Operation, 'insert'>, boolean>>;
  readonly security: Security;
  /** Whether the user's role has the privilege to select. */
  readonly holdsSelect: boolean;
  /** The permissive policies that let the user select the row. */
  readonly allowedBy: readonly string[];
  /** The restrictive policies that hide the row from the user. */
  readonly hiddenBy: readonly string[];
  /** PostgreSQL's message, if a condition can't be evaluated for the user. */
  readonly error: string | null;
}

export interface Everyone {
  /** Requests without a signed-in user, and the users who signed in most recently. */
  readonly users: readonly UserAccess[];
  /** The number of all users. */
  readonly allUsers: number;
}

export const contract = {
  'POST /why': { body: why, response: json<AccessReport>() },
  /** Lists who can access a row of a table. */
  'POST /why/everyone': {
    body: why.pick({ schema: true, table: true }).extend({ key: cells }),
    response: json<Everyone>(),
  },
  'POST /why/pgtap': { body: why, response: json<{ readonly text: string }>() },
} as const satisfies RouteTable;
