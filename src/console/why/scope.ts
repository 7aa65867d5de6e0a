/** The place where an expression is evaluated: a row or the arguments of a function, as a role. */
import type { PostgresErrorShape, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { EvaluatedExpression, Operand } from './contract.ts';
import type { Expression } from './core/expression.ts';

export interface Scope {
  readonly tx: Transaction;
  /** The FROM item that provides the row or the arguments. */
  readonly from: Sql;
  /** Puts values into the text that is displayed. */
  readonly show: (text: string) => string;
  readonly unfolding: Unfolding;
  /** Evaluates a condition in a function's body. */
  readonly evaluate: (scope: Scope, expression: Expression) => Promise<EvaluatedExpression>;
}

export interface Unfolding {
  readonly depth: number;
  /** The role that evaluates expressions. */
  readonly role: string;
  /** The role that wrote the text, which is the owner of the table or function. */
  readonly author: string;
  /** The schemas in which unqualified names are looked up. */
  readonly searchPath: readonly string[];
  /**
   * Whether values are returned. The body of a SECURITY DEFINER function can read tables that an operator without the
   * `secrets` permission can't read, so only its conditions and row counts are returned to such an operator.
   */
  readonly showsValues: boolean;
  readonly mayRead: (schema: string) => boolean;
  /** Takes a step. Returns false if the limits have been reached. */
  readonly take: () => boolean;
  /** Runs work as another role. Returns undefined if a request can't switch to the role. */
  readonly asRole: <T>(
    role: string,
    searchPath: readonly string[],
    work: (tx: Transaction, unfolding: Unfolding) => Promise<T>,
  ) => Promise<T | undefined>;
  /**
   * Runs work as a role that can only read, but that no policy applies to. Returns undefined if the role can't run it.
   */
  readonly asReader: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;
}

/** The maximum number of characters of an operand's value. */
const shownChars = 300;

/** Evaluates operands. Returns none if the operator isn't allowed to see values here. */
export async function operandsOf(scope: Scope, texts: readonly string[]): Promise<Operand[]> {
  const operands: Operand[] = [];
  if (!scope.unfolding.showsValues) return operands;
  for (const text of texts) {
    const value = await textOf(scope, text);
    // An operand that is already displayed as a value doesn't explain anything.
    if (value !== undefined && scope.show(text) === text) operands.push({ text, value });
  }
  return operands;
}

/** Text from the catalog is SQL, so it is inserted unchanged. */
export const condition = (text: string): Sql => sql.raw(`(${text}\n)`);

/**
 * Returns the text of an operand's value. Returns undefined if the operand can't be evaluated, because the error of the
 * whole test is then more useful.
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

/** Returns the message of an error from PostgreSQL. Other errors, such as a lost connection, are thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && 'severity' in error && !(error as PostgresErrorShape).code.startsWith('08'))
    return error.message;
  throw error;
}
