/**
 * Stores the definitions of policies that are turned off, because the only way to turn off a policy in PostgreSQL is to
 * drop it.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Policy } from './contract.ts';
import type { TableName } from './statement.ts';

export interface TurnedOff extends TableName {
  readonly policy: Policy;
}

/**
 * Returns the stored policy definitions. Also deletes the definitions of policies whose table no longer exists. `db`
 * must be able to write to the schema `_plinth`.
 */
export const listTurnedOff = (db: Queryable): Promise<TurnedOff[]> =>
  db.query<TurnedOff>(sql`
    with gone as (
      delete from _plinth.policies_off p where not exists (select from pg_class c where c.oid = p.table_id))
    select n.nspname as schema, c.relname as name, p.policy
    from _plinth.policies_off p join pg_class c on c.oid = p.table_id join pg_namespace n on n.oid = c.relnamespace
    order by n.nspname, c.relname, p.name`);

export async function keepPolicy(db: Queryable, table: TableName, policy: Policy): Promise<void> {
  await db.query(sql`
    insert into _plinth.policies_off (table_id, name, policy)
    select ${tableId(table)}, ${policy.name}, ${policy}::jsonb
    on conflict (table_id, name) do update set policy = excluded.policy`);
}

/** Returns false if the table has no policy with this name that is turned off. */
export async function forgetPolicy(db: Queryable, table: TableName, name: string): Promise<boolean> {
  const rows = await db.query(sql`
    delete from _plinth.policies_off where table_id = ${tableId(table)} and name = ${name} returning 1 as gone`);
  return rows.length > 0;
}

const tableId = ({ schema, name }: TableName): Sql =>
  sql`to_regclass(format('%I.%I', ${schema}::text, ${name}::text))`;
