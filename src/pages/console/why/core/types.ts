/**
 * Types for explaining why the database allows or rejects an operation.
 *
 * Glossary. *Gate*: the policies for a command that a row must pass. Permissive policies are combined with OR, and
 * restrictive policies with AND. *Effect*: the consequence if the row doesn't pass: the row is hidden or rejected
 * (42501). *Truth*: the actual result of running the persona's statement in a transaction that was rolled back.
 */

import type { Gate, Operation, PolicyFunction } from '../contract.ts';
import type { Expression } from './expression.ts';

export interface Policy {
  readonly name: string;
  readonly command: 'all' | Operation;
  readonly permissive: boolean;
  /** The roles to which the policy applies. `public` stands for all roles. */
  readonly roles: readonly string[];
  /**
   * Whether the policy applies to the persona's role, either directly or through a role whose privileges the persona's
   * role inherits.
   */
  readonly applies: boolean;
  /** The policy's conditions in the format of `pg_get_expr`, with qualified names. */
  readonly using: string | null;
  readonly check: string | null;
  readonly functions: readonly PolicyFunction[];
}

/** A gate whose conditions haven't been evaluated yet. */
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
