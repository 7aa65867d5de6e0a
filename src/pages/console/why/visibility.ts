/** Determines which values an operator may see. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Operand } from './contract.ts';
import { callsIn, relationsIn } from './core/select.ts';
import { returnsOf } from './functions.ts';
import { type Scope, textOf } from './scope.ts';

type Place = Pick<Scope, 'tx' | 'unfolding'>;

/** Evaluates the operands and returns only operands whose values the operator may see. */
export async function operandsOf(scope: Scope, texts: readonly string[]): Promise<Operand[]> {
  const operands: Operand[] = [];
  if (!scope.unfolding.showsValues) return operands;
  for (const text of texts) {
    const value = (await mayShow(scope, text)) ? await textOf(scope, text) : undefined;
    // An operand explains nothing if its value is already displayed in its place.
    if (value !== undefined && scope.show(text) === text) operands.push({ text, value });
  }
  return operands;
}

/**
 * The schemas that contain functions of PostgreSQL and the server that are called in policies and don't return secrets.
 */
const openSchemas = ['pg_catalog', 'auth', 'storage', 'realtime', 'extensions'];

/**
 * Whether the operator may see the value of the expression. Without the `secrets` permission, the value returned by a
 * function of the project is hidden unless it is a Boolean value, because a SECURITY DEFINER function can return a
 * secret.
 */
export async function mayShow(place: Place, text: string): Promise<boolean> {
  const { tx, unfolding } = place;
  if (unfolding.mayRead('auth')) return true;
  if (!unfolding.showsValues || !(await mayReadAll(place, text))) return false;
  for (const call of callsIn(text)) {
    const found = await returnsOf(tx, call, unfolding.searchPath);
    if (found.some(({ schema, type }) => !openSchemas.includes(schema) && type !== 'boolean')) return false;
  }
  return true;
}

/**
 * Whether the operator may read the rows of all tables that the subselect uses. False if the subselect reads anything
 * else, such as a view or the result of a function, because the tables behind a view or function are unknown.
 */
export async function mayReadAll({ tx, unfolding }: Place, text: string): Promise<boolean> {
  const rows = await tx.query<{ schema: string | null }>(sql`
    select distinct n.nspname as schema from unnest(${relationsIn(text)}::text[]) r
    left join pg_class c on c.oid = to_regclass(r) and c.relkind in ('r', 'p')
    left join pg_namespace n on n.oid = c.relnamespace`);
  return rows.every(({ schema }) => schema !== null && unfolding.mayRead(schema));
}
