/**
 * Migrates pgmq's queues and archives. pgmq creates the tables for them, so these tables aren't part of the
 * definitions.
 */

import { sql } from '../../base/kernel/sql.ts';
import { quoteIfNeeded } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { SharedTable } from './core/row-text.ts';
import { readPrimaryKeys } from './queries.ts';
import { migrateRows } from './rows.ts';
import type { End, TableReport } from './types.ts';

export interface Queue {
  readonly name: string;
  readonly isUnlogged: boolean;
  /** Whether pg_partman manages the queue's tables. Such a queue can't be migrated. */
  readonly isPartitioned: boolean;
}

export interface QueuesReport {
  readonly tables: readonly TableReport[];
  readonly notes: readonly string[];
}

export async function migrateQueues(source: End, target: End, signal?: AbortSignal): Promise<QueuesReport> {
  const queues = (await readQueues(source.session)) ?? [];
  const notes = queueNotes(queues);
  const movable = queues.filter(({ isPartitioned }) => !isPartitioned);
  if (movable.length === 0) return { tables: [], notes };
  const existing = await readQueues(target.session);
  if (existing === undefined) {
    const names = movable.map(({ name }) => name).join(', ');
    notes.push(`Queues ${names} can't be migrated, because the target's account can't use pgmq.`);
    return { tables: [], notes };
  }
  const tables: TableReport[] = [];
  for (const { name, isUnlogged } of movable) {
    if (existing.every((each) => each.name !== name))
      await target.session.query(
        isUnlogged ? sql`select pgmq.create_unlogged(${name})` : sql`select pgmq.create(${name})`,
      );
    for (const table of await queueTables(source.session, target.session, name)) {
      signal?.throwIfAborted();
      tables.push(await migrateRows(source, target, table, { onRows: () => {}, signal }));
    }
    await continueNumbers(source, target, tableOf(name, 'q'));
  }
  return { tables, notes };
}

/** Returns a sentence about the queues that can't be migrated. */
export function queueNotes(queues: readonly Queue[]): string[] {
  const names = queues.filter(({ isPartitioned }) => isPartitioned).map(({ name }) => name);
  return names.length === 0
    ? []
    : [`Partitioned queues ${names.join(', ')} can't be migrated. Process their messages first.`];
}

/** Returns the queues, or undefined if the database doesn't have pgmq or the account can't use it. */
export async function readQueues({ query }: CopySession): Promise<Queue[] | undefined> {
  const [found] = await query<{ exists: boolean }>(sql`
    select coalesce(has_table_privilege(to_regclass('pgmq.meta'), 'select')
      and has_schema_privilege(to_regnamespace('pgmq'), 'usage'), false) as exists`);
  if (found?.exists !== true) return undefined;
  return await query<Queue>(sql`
    select queue_name::text as name, is_unlogged as "isUnlogged", is_partitioned as "isPartitioned"
    from pgmq.meta order by 1`);
}

/** Returns pgmq's table name for a queue (`q`) or its archive (`a`). */
const tableOf = (queue: string, prefix: 'q' | 'a'): string =>
  `pgmq.${quoteIfNeeded(`${prefix}_${queue}`.toLowerCase())}`;

/** Returns the tables of a queue with the columns that both ends have. The columns depend on the version of pgmq. */
export async function queueTables(
  source: CopySession,
  target: CopySession,
  queue: string,
): Promise<SharedTable[]> {
  const keys = await readPrimaryKeys(source);
  const tables: SharedTable[] = [];
  for (const prefix of ['q', 'a'] as const) {
    const table = tableOf(queue, prefix);
    const [from, to] = [await readColumns(source, table), await readColumns(target, table)];
    if (from.length === 0 || to.length === 0) continue;
    tables.push({
      table,
      schema: 'pgmq',
      name: `${prefix}_${queue}`.toLowerCase(),
      columns: from.filter((column) => to.includes(column)),
      key: keys.get(table) ?? [],
    });
  }
  return tables;
}

async function readColumns({ query }: CopySession, table: string): Promise<string[]> {
  const rows = await query<{ name: string }>(sql`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`);
  return rows.map(({ name }) => name);
}

/** Continues the source's numbering of messages, because archived messages keep their IDs. */
async function continueNumbers(source: End, target: End, table: string): Promise<void> {
  const [from] = await source.session.query<{ last: string; called: boolean }>(sql`
    select coalesce(pg_sequence_last_value(seq::regclass), 1)::text as last,
      pg_sequence_last_value(seq::regclass) is not null as called
    from pg_get_serial_sequence(${table}, 'msg_id') as seq`);
  if (from === undefined) return;
  await target.session.query(sql`
    select setval(pg_get_serial_sequence(${table}, 'msg_id')::regclass, ${from.last}::int8, ${from.called}::bool)`);
}
