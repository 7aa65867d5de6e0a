/**
 * Tries the definitions of functions, views and triggers in a transaction that is rolled back, so that errors are shown
 * before the operator confirms.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { applyChanges } from './apply.ts';
import type { SchemaChange } from './changes.ts';
import type { Warning } from './contract.ts';
import { headOf } from './core/definition.ts';
import { hasSecrets } from './core/secrets.ts';

/**
 * Returns a warning for each function that would be added beside functions with the same name. PostgreSQL identifies a
 * function by its name and the types of its parameters, so a definition with other types doesn't replace the function.
 * @throws {PostgresErrorShape} if a statement fails
 */
export async function tryDefinitions(
  pool: Pool,
  changes: readonly SchemaChange[],
  statements: readonly string[],
): Promise<Warning[]> {
  const definitions = changes.filter((change) => change.kind === 'define');
  // A materialized view isn't tried, because creating it runs its query.
  const isCostly = statements.some((statement) => headOf(statement).startsWith('create materialized '));
  if (definitions.length === 0 || isCostly) return [];
  let before: readonly Overload[] = [];
  let after: readonly Overload[] = [];
  await applyChanges(pool, statements, undefined, {
    isSecret: changes.some(hasSecrets),
    prepare: async (tx) => {
      before = await listOverloads(tx);
    },
    fill: async (tx) => {
      after = await listOverloads(tx);
    },
    end: 'rollback',
  });
  const known = new Set(before.map(({ oid }) => oid));
  return after
    .filter(
      (each) =>
        !known.has(each.oid) &&
        after.some(
          (other) => known.has(other.oid) && other.schema === each.schema && other.name === each.name,
        ),
    )
    .map(({ schema, name }) => ({ kind: 'overload', on: `${schema}.${name}`, rows: null, exact: true }));
}

interface Overload {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
}

const listOverloads = (db: Queryable): Promise<Overload[]> =>
  db.query<Overload & { [column: string]: unknown }>(sql`
    select p.oid::int8::float8 as oid, n.nspname as schema, p.proname as name
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname not in ('pg_catalog', 'information_schema')`);
