/** The scope in which an expression is evaluated: a role, and either a row or a function's arguments. */
import type { PostgresErrorShape, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { EvaluatedExpression } from './contract.ts';
import type { Expression } from './core/expression.ts';

export interface Scope {
  readonly tx: Transaction;
  /** The FROM item that provides the row or the arguments. */
  readonly from: Sql;
  /** Inserts values into the displayed text. */
  readonly show: (text: string) => string;
  readonly unfolding: Unfolding;
  /** Evaluates a condition in a function's body. */
  readonly evaluate: (scope: Scope, expression: Expression) => Promise<EvaluatedExpression>;
}

export interface Unfolding {
  readonly depth: number;
  /** The role that evaluates expressions. */
  readonly role: string;
  /** The owner of the table or function that the text belongs to. */
  readonly author: string;
  /** The schemas that unqualified names are looked up in. */
  readonly searchPath: readonly string[];
  /**
   * Whether values are returned. A SECURITY DEFINER function can read tables that an operator without the `secrets`
   * permission can't. Such an operator receives only the body's conditions and row counts.
   */
  readonly showsValues: boolean;
  readonly mayRead: (schema: string) => boolean;
  /** Counts a step. Returns false if the limits have been reached. */
  readonly take: () => boolean;
  /**
   * Calls `work` with a transaction that runs as another role. Returns undefined if the session can't switch to the
   * role or PostgreSQL reports an error.
   */
  readonly asRole: <T>(
    role: string,
    searchPath: readonly string[],
    work: (tx: Transaction, unfolding: Unfolding) => Promise<T>,
  ) => Promise<T | undefined>;
  /**
   * Calls `work` with a transaction that runs as a role that can only read and isn't subject to policies. Returns
   * undefined if PostgreSQL reports an error.
   */
  readonly asReader: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;
}

/** The maximum number of characters of an operand's value. */
const shownChars = 300;

/** Returns a condition from the catalog as SQL. Its text is SQL already, so it is inserted unchanged. */
export const condition = (text: string): Sql => sql.raw(`(${text}\n)`);

/**
 * Returns an operand's value as text. Returns undefined if the operand can't be evaluated, because the whole test's
 * error is then more useful.
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

/** Returns a PostgreSQL error's message. Rethrows other errors, such as a lost connection. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && 'severity' in error && !(error as PostgresErrorShape).code.startsWith('08'))
    return error.message;
  throw error;
}
