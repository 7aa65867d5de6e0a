/** The values of conditions for one row, evaluated as the persona; each part by itself, so that an error is of one part. */
import type { PostgresErrorShape, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { JudgedExpression, Value } from './contract.ts';
import type { Expression } from './core/expression.ts';
import type { RelationFacts } from './facts.ts';

export interface RowSource {
  readonly relation: RelationFacts;
  /** The row as PostgreSQL writes a value of the table's type. */
  readonly row: string;
}

/** Of an operand that is shown. */
const shownChars = 300;

export async function evaluate(
  tx: Transaction,
  source: RowSource,
  expression: Expression,
): Promise<JudgedExpression> {
  const own = await truthOf(tx, source, expression.text);
  if (expression.kind === 'test') {
    const operands: { text: string; value: string | null }[] = [];
    for (const text of expression.operands) {
      const value = await textOf(tx, source, text);
      if (value !== undefined) operands.push({ text, value });
    }
    return { kind: 'test', text: expression.text, ...own, operands };
  }
  const parts: JudgedExpression[] = [];
  for (const part of expression.parts) parts.push(await evaluate(tx, source, part));
  return { kind: expression.kind, text: expression.text, ...own, parts };
}

/**
 * Within a condition columns stand alone or behind the table's name. A function in FROM that returns the table's own type
 * offers both, and the row as a whole as that type.
 */
function rowOf({ relation: { schema, name }, row }: RowSource): Sql {
  const type = sql.id(schema, name);
  return sql`unnest(array[${row}::${type}]) as ${sql.id(name)}`;
}

/** What the catalog prints is SQL already. */
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

/** Undefined when it cannot be had: the test's own value says more then. */
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

/** Only what PostgreSQL says is an answer; a lost connection is not. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && 'severity' in error && !(error as PostgresErrorShape).code.startsWith('08'))
    return error.message;
  throw error;
}
