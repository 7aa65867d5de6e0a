/**
 * Explains why the database allows or refuses an operation.
 *
 * Glossary. *Gate*: the policies of one command that a row has to pass, permissive ones joined by OR, restrictive ones by
 * AND. *Effect*: the result for a row that doesn't pass: it is hidden or refused (42501).
 * *Truth*: what the database did when the persona's own statement ran, in a transaction that was rolled back.
 */

import type { Gate, Operation, PolicyFunction } from '../contract.ts';
import type { Expression } from './expression.ts';

export interface Policy {
  readonly name: string;
  readonly command: 'all' | Operation;
  readonly permissive: boolean;
  /** `public` for all roles. */
  readonly roles: readonly string[];
  /** Whether the policy applies to the persona's role, directly or through a role that it inherits. */
  readonly applies: boolean;
  /** The conditions as `pg_get_expr` prints them, with qualified names. */
  readonly using: string | null;
  readonly check: string | null;
  readonly functions: readonly PolicyFunction[];
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
