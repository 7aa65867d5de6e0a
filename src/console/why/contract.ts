/** The routes of the page that explains policies. */
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
  returned: z.array(z.string()).max(2000).default([]),
});

export type RelationKind = 'table' | 'view' | 'materialized view' | 'foreign table';
export type Operation = 'select' | 'insert' | 'update' | 'delete';

/** `hidden`: the statement affected no row and raised no error. */
export type Verdict = 'allowed' | 'hidden' | 'refused';

export interface PolicyFunction {
  readonly name: string;
  /** Whether the function runs with the rights of `owner`. */
  readonly securityDefiner: boolean;
  readonly owner: string;
  readonly mayExecute: boolean;
}

/** A privilege that the statement needs. */
export interface Need {
  readonly kind: 'schema' | 'table' | 'columns' | 'sequence' | 'function';
  /** The quoted and qualified name. */
  readonly name: string;
  readonly privilege: string;
  readonly held: boolean;
  /** The statement that would grant the privilege. */
  readonly fix: string;
}

/** Why row-level security does or doesn't apply. Policies are evaluated only with `on`. */
export type Security = 'on' | 'off' | 'superuser' | 'bypassrls' | 'owner';

/** The value of a condition for the row: true, false or NULL, or the error of its evaluation. */
export interface Value {
  readonly value: boolean | null;
  readonly error: string | null;
}

export type JudgedExpression = (
  | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly JudgedExpression[] }
  | {
      readonly kind: 'test';
      /** The text and value of the compared expressions. */
      readonly operands: readonly { readonly text: string; readonly value: string | null }[];
    }
) &
  Value & { readonly text: string };

export interface JudgedPolicy extends Value {
  readonly name: string;
  readonly permissive: boolean;
  readonly command: 'all' | Operation;
  readonly roles: readonly string[];
  readonly applies: boolean;
  /** Undefined if the policy has no condition for this gate or doesn't apply. */
  readonly tree: JudgedExpression | undefined;
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
  /** The role for which the policies are evaluated: behind a view, the view's owner or the persona. */
  readonly role: string;
  readonly policies: readonly JudgedPolicy[];
  /** Null if unknown, because evaluating a condition raised an error. */
  readonly passes: boolean | null;
}

/** The reason for a verdict. The page has a text for each code. */
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
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** The index of the gate that decided. */
  readonly gate: number | null;
}

export interface Truth {
  readonly verdict: Verdict;
  readonly sqlstate: string | null;
  readonly message: string | null;
  readonly detail: string | null;
  readonly hint: string | null;
}

/** A relation behind a view. */
export interface Through {
  readonly schema: string;
  readonly name: string;
  readonly kind: RelationKind;
  /** The role with which the relation is read: the view's owner or the persona. */
  readonly role: string;
  readonly mayRead: boolean;
  readonly security: Security;
  /** False if the policies couldn't be evaluated, because the view doesn't show the relation's key. */
  readonly isJudged: boolean;
  readonly depth: number;
}

export interface Answer {
  readonly relation: {
    readonly schema: string;
    readonly name: string;
    readonly kind: RelationKind;
    readonly owner: string;
    readonly rls: boolean;
    readonly forced: boolean;
  };
  readonly operation: Operation;
  readonly role: string;
  /** The persona's display name. */
  readonly persona: string;
  /** False if the role doesn't exist. */
  readonly roleExists: boolean;
  readonly needs: readonly Need[];
  readonly security: Security;
  readonly gates: readonly Gate[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly through: readonly Through[];
  readonly explanation: Explanation;
  readonly truth: Truth;
  /** Whether the explanation matches what the database did. If not, something else decides: a constraint, a trigger or a view. */
  readonly agrees: boolean;
}

export const contract = {
  'POST /why': { body: why, response: json<Answer>() },
  'POST /why/pgtap': { body: why, response: json<{ readonly text: string }>() },
} as const satisfies RouteTable;
