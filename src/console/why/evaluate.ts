/**
 * Evaluates conditions for one row as the persona. Each part of a condition is evaluated separately so that an error
 * can be attributed to that part.
 */
import type { PostgresErrorShape, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { EvaluatedExpression, Value } from './contract.ts';
import type { Expression } from './core/expression.ts';
import type { RelationFacts } from './facts.ts';

export interface RowSource {
  readonly relation: RelationFacts;
  /** The row as text, in the format of the table's row type. */
  readonly row: string;
}

/** The maximum number of characters of an operand's value. */
const shownChars = 300;

export async function evaluate(
  tx: Transaction,
  source: RowSource,
  expression: Expression,
): Promise<EvaluatedExpression> {
  const own = await truthOf(tx, source, expression.text);
  if (expression.kind === 'test') {
    const operands: { text: string; value: string | null }[] = [];
    for (const text of expression.operands) {
      const value = await textOf(tx, source, text);
      if (value !== undefined) operands.push({ text, value });
    }
    return { kind: 'test', text: expression.text, ...own, operands };
  }
  const parts: EvaluatedExpression[] = [];
  for (const part of expression.parts) parts.push(await evaluate(tx, source, part));
  return { kind: expression.kind, text: expression.text, ...own, parts };
}

/**
 * Returns a FROM item with the row. Conditions can refer to columns with or without the table's name, or to the whole
 * row. A function in FROM that returns the table's row type supports all three.
 */
function rowOf({ relation: { schema, name }, row }: RowSource): Sql {
  const type = sql.id(schema, name);
  return sql`unnest(array[${row}::${type}]) as ${sql.id(name)}`;
}

/** Text from the catalog is SQL, so it is inserted unchanged. */
const condition = (text: string): Sql => sql.raw(`(${text})`);

async function truthOf(tx: Transaction, source: RowSource, text: string): Promise<Value> {
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ value: boolean | null }>(sql`select ${condition(text)} as value from ${rowOf(source)}`),
    );
    return { value: row?.value ?? null, error: null };
  } catch (error) {
    return { value: null, error: messageOf(error) };
  }
}

/**
 * Returns the text of an operand's value. Returns undefined if the operand can't be evaluated, because the error of the
 * whole test is then more useful.
 */
async function textOf(tx: Transaction, source: RowSource, text: string): Promise<string | null | undefined> {
  try {
    const { rows } = await tx.savepoint((inner) =>
      inner.queryText(sql`select left(${condition(text)}::text, ${shownChars}::int) from ${rowOf(source)}`),
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
