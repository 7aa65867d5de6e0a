/**
 * Why the database lets somebody do something, or does not.
 *
 * Glossary. *Gate*: the policies of one command that a row has to pass, permissive ones joined by OR, restrictive ones by
 * AND. *Effect*: what happens to a row that does not pass: it is hidden (as if it were not there) or refused (42501).
 * *Truth*: what the database did when the persona's own statement ran, in a transaction that was rolled back.
 */
import type { Expression } from './expression.ts';

export type Operation = 'select' | 'insert' | 'update' | 'delete';

/** `hidden`: nothing happened, and no error. */
export type Verdict = 'allowed' | 'hidden' | 'refused';

export interface Policy {
  readonly name: string;
  readonly command: 'all' | Operation;
  readonly permissive: boolean;
  /** `public` for everybody. */
  readonly roles: readonly string[];
  /** To the persona's role, by itself or by a role that it inherits. */
  readonly applies: boolean;
  /** As `pg_get_expr` prints them, every name qualified. */
  readonly using: string | null;
  readonly check: string | null;
  readonly functions: readonly PolicyFunction[];
}

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
  readonly command: Policy['command'];
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

/** A gate before its conditions are evaluated. */
export interface GatePlan {
  readonly clause: Gate['clause'];
  readonly command: Operation;
  readonly row: Gate['row'];
  readonly effect: Gate['effect'];
}

export interface Condition {
  readonly policy: Policy;
  readonly text: string;
  readonly tree: Expression;
}
