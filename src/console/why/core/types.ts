/**
 * Types for explaining why the database allows or rejects an operation.
 *
 * Glossary. *Gate*: a command's policies that a row must pass. Permissive policies are combined with OR, and
 * restrictive ones with AND. *Effect*: the consequence of not passing: the row is hidden or rejected (42501). *Truth*:
 * the database's result for the persona's statement, in a transaction that was rolled back.
 */

import type { Gate, Operation, PolicyFunction } from '../contract.ts';
import type { Expression } from './expression.ts';

export interface Policy {
  readonly name: string;
  readonly command: 'all' | Operation;
  readonly permissive: boolean;
  /** The roles that the policy applies to. `public` means all roles. */
  readonly roles: readonly string[];
  /** Whether the policy applies to the persona's role, directly or through a role whose privileges it inherits. */
  readonly applies: boolean;
  /** The conditions as formatted by `pg_get_expr`, with qualified names. */
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
