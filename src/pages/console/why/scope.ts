/** The scope in which an expression is evaluated: a role, and either a row or the arguments of a function. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { PostgresErrorShape, Transaction } from '../../../platform/database/types.ts';
import type { EvaluatedExpression } from './contract.ts';
import type { Expression } from './core/expression.ts';

export interface Scope {
  readonly tx: Transaction;
  /** The FROM item that provides the row or the function's arguments. */
  readonly from: Sql;
  /** Inserts the values of arguments into text that is displayed. */
  readonly show: (text: string) => string;
  readonly unfolding: Unfolding;
  /** Evaluates a condition in the body of a function. */
  readonly evaluate: (scope: Scope, expression: Expression) => Promise<EvaluatedExpression>;
}

export interface Unfolding {
  readonly depth: number;
  /** The role as which expressions are evaluated. */
  readonly role: string;
  /** The owner of the table or function to which the text belongs. */
  readonly author: string;
  /** The schemas in which unqualified names are looked up. */
  readonly searchPath: readonly string[];
  /**
   * Whether values may be returned to the operator. A SECURITY DEFINER function can read tables that operators without
   * the `secrets` permission can't read. Such an operator receives only the conditions in the function's body and the
   * row counts.
   */
  readonly showsValues: boolean;
  readonly mayRead: (schema: string) => boolean;
  /** Counts a step. Returns false if a limit has been reached. */
  readonly take: () => boolean;
  /**
   * Calls `work` with a transaction that runs as another role. Returns undefined if it isn't possible to switch to this
   * role or if PostgreSQL reports an error.
   */
  readonly asRole: <T>(
    role: string,
    searchPath: readonly string[],
    work: (tx: Transaction, unfolding: Unfolding) => Promise<T>,
  ) => Promise<T | undefined>;
  /**
   * Calls `work` with a transaction that runs as a role that can only read and to which policies don't apply. Returns
   * undefined if PostgreSQL reports an error.
   */
  readonly asReader: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;
}

/** The maximum number of characters in the value of an operand. */
const shownChars = 300;

/**
 * Returns a condition from the catalog as SQL. The text of a condition is already SQL, so it is inserted without
 * quoting.
 */
export const condition = (text: string): Sql => sql.raw(`(${text}\n)`);

/**
 * Returns the value of an operand as text. Returns undefined if the operand can't be evaluated, because in that case
 * the error of the whole test is more useful.
 */
export async function textOf({ tx, from }: Scope, text: string): Promise<string | null | undefined> {
  try {
    const { rows } = await tx.savepoint((inner) =>
      inner.queryText(sql`select left(${condition(text)}::text, ${shownChars}::int) from ${from}`),
    );
    return rows[0]?.[0] ?? null;
  } catch (error) {
    messageOf(error);
    return undefined;
  }
}

/** Returns the message of a PostgreSQL error. All other errors, such as a lost connection, are thrown again. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && 'severity' in error && !(error as PostgresErrorShape).code.startsWith('08'))
    return error.message;
  throw error;
}
