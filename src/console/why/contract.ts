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

/** `hidden`: nothing happened, and no error. */
export type Verdict = 'allowed' | 'hidden' | 'refused';

export interface PolicyFunction {
  readonly name: string;
  /** Runs with the rights of `owner`. */
  readonly securityDefiner: boolean;
  readonly owner: string;
  readonly mayExecute: boolean;
}

/** A right that the statement needs. */
export interface Need {
  readonly kind: 'schema' | 'table' | 'columns' | 'sequence' | 'function';
  /** Quoted and qualified. */
  readonly name: string;
  readonly privilege: string;
  readonly held: boolean;
  /** The statement that would give it. */
  readonly fix: string;
}

/** Why row-level security does or does not apply: `on` is the only one under which policies are asked. */
export type Security = 'on' | 'off' | 'superuser' | 'bypassrls' | 'owner';

/** The value of a part for the row: SQL's three, or the error that evaluating it raised. */
export interface Value {
  readonly value: boolean | null;
  readonly error: string | null;
}

export type JudgedExpression = (
  | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly JudgedExpression[] }
  | {
      readonly kind: 'test';
      /** Text and value of what is compared. */
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
  /** Undefined when it has no condition for this gate, or does not apply. */
  readonly tree: JudgedExpression | undefined;
  readonly functions: readonly PolicyFunction[];
}

export interface Gate {
  readonly clause: 'using' | 'check';
  /** Which of its policies. */
  readonly command: Operation;
  readonly row: 'old' | 'new';
  readonly effect: 'hides' | 'refuses';
  /** Whose policies. */
  readonly relation: { readonly schema: string; readonly name: string };
  /** For which role they are asked: behind a view its owner's, or that of whoever asks. */
  readonly role: string;
  readonly policies: readonly JudgedPolicy[];
  /** Null: not known, since evaluating a condition raised an error. */
  readonly passes: boolean | null;
}

/** Why the explanation comes to its verdict: a code that the page has words for. */
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
  /** Of the gates, which one decided. */
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
  /** The role it is read as: the view's owner, or whoever asks. */
  readonly role: string;
  readonly mayRead: boolean;
  readonly security: Security;
  /** False: its policies could not be asked, since the view does not show which of its rows is meant. */
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
  /** Of the claims, for whoever reads the answer. */
  readonly persona: string;
  /** False: there is no such role. */
  readonly roleExists: boolean;
  readonly needs: readonly Need[];
  readonly security: Security;
  readonly gates: readonly Gate[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly through: readonly Through[];
  readonly explanation: Explanation;
  readonly truth: Truth;
  /** The explanation comes to what the database did. If not, something else decides: a constraint, a trigger, a view. */
  readonly agrees: boolean;
}

export const contract = {
  'POST /why': { body: why, response: json<Answer>() },
  'POST /why/pgtap': { body: why, response: json<{ readonly text: string }>() },
} as const satisfies RouteTable;
