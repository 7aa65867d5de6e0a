/**
 * Why the database lets somebody do something, or does not.
 *
 * Glossary. *Gate*: the policies of one command that a row has to pass, permissive ones joined by OR, restrictive ones by
 * AND. *Effect*: what happens to a row that does not pass: it is hidden (as if it were not there) or refused (42501).
 * *Truth*: what the database did when the persona's own statement ran, in a transaction that was rolled back.
 */

import type { Gate, Operation, PolicyFunction } from '../contract.ts';
import type { Expression } from './expression.ts';

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
