/**
 * Counts the rows that a subselect reads, in total and for each part of the subselect's condition, and returns the
 * first rows.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { EvaluatedRows } from './contract.ts';
import { parseExpression } from './core/expression.ts';
import { callsIn, hasBareName, parseSelect } from './core/select.ts';
import { mayReadAll, mayShow, operandsOf, ownersOf } from './functions.ts';
import { messageOf, type Scope } from './scope.ts';
import { isTrusted } from './session.ts';

/** The maximum number of rows to count, so that large tables aren't read completely. */
const maxCounted = 1000;
/** The maximum number of rows that are returned. */
const maxRows = 5;

export async function evaluateRows(scope: Scope, text: string): Promise<EvaluatedRows | undefined> {
  const select = parseSelect(text);
  if (select?.from === undefined) return undefined;
  const { from, where, isSimple } = select;
  const matching = isSimple
    ? `select * from ${from}\n${where === undefined ? '' : `where ${where}\n`}`
    : text;
  const parts = isSimple && where !== undefined ? conjunctsOf(where) : [];
  const counts = await countsOf(scope, [
    matching,
    ...(isSimple ? [`select from ${from}\n`] : []),
    ...parts.map((part) => `select from ${from}\nwhere ${part}\n`),
  ]);
  if (counts === undefined) return undefined;
  const [matched = 0, total = 0] = counts;
  const conditions: EvaluatedRows['conditions'][number][] = [];
  for (const [index, part] of parts.entries()) {
    const parsed = parseExpression(part);
    const operands = parsed.kind === 'test' ? parsed.operands.filter((operand) => !hasBareName(operand)) : [];
    conditions.push({
      text: scope.show(part),
      matched: shown(counts[index + 2] ?? 0),
      operands: await operandsOf(scope, operands),
    });
  }
  return {
    from: scope.show(from),
    total: isSimple ? shown(total) : null,
    matched: shown(matched),
    hidden: await hiddenOf(scope, matching, matched),
    isCut: counts.some((count) => count > maxCounted),
    conditions,
    rows: matched > 0 ? await firstRows(scope, matching, isSimple ? 'true' : text) : [],
  };
}

const shown = (count: number): number => Math.min(count, maxCounted);

function conjunctsOf(where: string): string[] {
  const parsed = parseExpression(where);
  return parsed.kind === 'and' ? parsed.parts.map(({ text }) => text) : [parsed.text];
}

/**
 * Returns a derived table with the rows of a subselect. The text from the catalog is SQL, so it is inserted without
 * quoting.
 */
const derived = (text: string, limit: number): Sql =>
  sql`(select * from (${sql.raw(text)}\n) plinth_rows limit ${limit}::int) plinth_row`;

async function countsOf({ tx, from }: Scope, texts: readonly string[]): Promise<number[] | undefined> {
  const list = sql.join(
    texts.map((text) => sql`(select count(*)::int from ${derived(text, maxCounted + 1)})`),
  );
  try {
    const { rows } = await tx.savepoint((inner) => inner.queryText(sql`select ${list} from ${from}`));
    return rows[0]?.map(Number);
  } catch (error) {
    messageOf(error);
    return undefined;
  }
}

/**
 * Counts the rows that policies hide from the role. The count runs with the privilege to read all tables, so it must
 * not run code that belongs to a role without this privilege.
 */
async function hiddenOf(scope: Scope, matching: string, matched: number): Promise<number | null> {
  const { unfolding } = scope;
  if (unfolding.role === 'postgres' || matched > maxCounted || !isTrusted(unfolding.author)) return null;
  if (!(await mayReadAll(scope, matching)) || !(await callsOnlyTrusted(scope, matching))) return null;
  const counts = await unfolding.asReader((tx) => countsOf({ ...scope, tx }, [matching]));
  return counts?.[0] === undefined ? null : Math.max(0, counts[0] - matched);
}

/**
 * Returns the first matching rows, or an empty list if the operator may not see these rows. `shown` is the part of the
 * text that computes the values in the rows.
 */
async function firstRows(scope: Scope, matching: string, shown: string): Promise<Record<string, unknown>[]> {
  const { tx, from, unfolding } = scope;
  if (!unfolding.showsValues || !(await mayReadAll(scope, matching)) || !(await mayShow(scope, shown)))
    return [];
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ rows: Record<string, unknown>[] | null }>(sql`
        select (select json_agg(to_jsonb(plinth_row)) from ${derived(matching, maxRows)}) as rows from ${from}`),
    );
    return row?.rows ?? [];
  } catch (error) {
    // If the role has privileges on only some columns, it can't read the whole row. The row counts are still correct.
    messageOf(error);
    return [];
  }
}

/** Whether all functions that the text calls belong to the project or to the server. */
async function callsOnlyTrusted({ tx, unfolding }: Scope, text: string): Promise<boolean> {
  for (const call of callsIn(text)) {
    const owners = await ownersOf(tx, call, unfolding.searchPath);
    if (!owners.every(isTrusted)) return false;
  }
  return true;
}
