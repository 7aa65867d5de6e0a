/**
 * Reads pgmq's queues from the tables `q_NAME` and `a_NAME`, without consuming messages. Changes queues by calling
 * pgmq's functions.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';
import type { MessageRow, MessageSource, QueueRow } from './contract.ts';

const countTimeoutMs = 3000;
const queryCanceled = '57014';

const queue = sql`m.queue_name::text as name, m.is_unlogged as unlogged, m.is_partitioned as partitioned,
  to_jsonb(m.created_at) as created_at, pgmq.format_table_name(m.queue_name::text, 'q') as table,
  (select c.relrowsecurity from pg_class c where c.relnamespace = 'pgmq'::regnamespace
    and c.relname = pgmq.format_table_name(m.queue_name::text, 'q')) as rls`;

/** Lists the queues. The result includes message counts if counting is fast enough. */
export async function listQueues(pool: Pool): Promise<QueueRow[]> {
  try {
    return await pool.transaction(
      // Reads the columns that pgmq 1.5 added as JSON fields, because earlier versions don't have these columns.
      (tx) =>
        tx.query<QueueRow>(sql`
        select ${queue}, x.queue_length::float8 as length, (to_jsonb(x) ->> 'queue_visible_length')::float8 as visible,
          x.oldest_msg_age_sec as oldest_seconds, x.newest_msg_age_sec as newest_seconds, x.total_messages::float8 as total
        from pgmq.meta m left join lateral pgmq.metrics(m.queue_name::text) x on true
        order by m.queue_name`),
      { readOnly: true, settings: [['statement_timeout', String(countTimeoutMs)]] },
    );
  } catch (error) {
    if ((error as PostgresErrorShape).code !== queryCanceled) throw error;
    return pool.query<QueueRow>(sql`
      select ${queue}, null::float8 as length, null::float8 as visible, null::int as oldest_seconds,
        null::int as newest_seconds, null::float8 as total
      from pgmq.meta m order by m.queue_name`);
  }
}

export interface QueueTables {
  readonly name: string;
  readonly queue: string;
  readonly archive: string;
}

/** Returns the queue's tables, or undefined if the queue doesn't exist. */
export async function findQueue(db: Queryable, name: string): Promise<QueueTables | undefined> {
  const [row] = await db.query<QueueTables>(sql`
    select queue_name::text as name, pgmq.format_table_name(queue_name::text, 'q') as queue,
      pgmq.format_table_name(queue_name::text, 'a') as archive
    from pgmq.meta where queue_name = ${name}`);
  return row;
}

const message = (of: MessageSource, maxChars: number): Sql => sql`
  msg_id::text as id, to_jsonb(enqueued_at) as enqueued_at, to_jsonb(vt) as visible_at, vt > clock_timestamp() as is_hidden,
  read_ct as read_count, ${of === 'archive' ? sql`to_jsonb(archived_at)` : sql`null::jsonb`} as archived_at,
  left(message::text, ${maxChars}::int) as message, length(message::text) as message_chars,
  left(to_jsonb(q) ->> 'headers', ${maxChars}::int) as headers`;

/**
 * Reads messages without hiding them from consumers. For a queue, returns the oldest messages first. For an archive,
 * returns the newest messages first.
 */
export const listMessages = (
  db: Queryable,
  tables: QueueTables,
  { of, after }: { readonly of: MessageSource; readonly after?: string | undefined },
  { limit, maxChars }: { readonly limit: number; readonly maxChars: number },
): Promise<MessageRow[]> => {
  const isQueue = of === 'queue';
  return db.query<MessageRow>(sql`
    select ${message(of, maxChars)} from ${sql.id('pgmq', tables[of])} q
    where ${after ?? null}::bigint is null or msg_id ${sql.raw(isQueue ? '>' : '<')} ${after ?? null}::bigint
    order by msg_id ${sql.raw(isQueue ? 'asc' : 'desc')} limit ${limit}::int`);
};

export async function findMessage(
  db: Queryable,
  tables: QueueTables,
  of: MessageSource,
  id: string,
  maxChars: number,
): Promise<MessageRow | undefined> {
  const [row] = await db.query<MessageRow>(sql`
    select ${message(of, maxChars)} from ${sql.id('pgmq', tables[of])} q where msg_id = ${id}::bigint`);
  return row;
}

export async function createQueue(
  tx: Queryable,
  { name, unlogged, rls }: { name: string; unlogged: boolean; rls: boolean },
): Promise<void> {
  await tx.query(
    unlogged ? sql`select pgmq.create_unlogged(${name}::text)` : sql`select pgmq.create(${name}::text)`,
  );
  const tables = rls ? await findQueue(tx, name) : undefined;
  if (tables === undefined) return;
  for (const table of [tables.queue, tables.archive])
    await tx.query(sql`alter table ${sql.id('pgmq', table)} enable row level security`);
}

export async function dropQueue(db: Queryable, name: string): Promise<void> {
  await db.query(sql`select pgmq.drop_queue(${name}::text)`);
}

export async function purgeQueue(db: Queryable, name: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select pgmq.purge_queue(${name}::text)::float8 as count`,
  );
  return row?.count ?? 0;
}

export async function sendMessage(
  db: Queryable,
  name: string,
  sent: { message: string; headers?: string | undefined; delaySeconds: number },
): Promise<string> {
  const { message: body, headers, delaySeconds } = sent;
  const [row] = await db.query<{ id: string }>(
    headers === undefined
      ? sql`select id::text from pgmq.send(${name}::text, ${body}::jsonb, ${delaySeconds}::int) as id`
      : sql`select id::text from pgmq.send(${name}::text, ${body}::jsonb, ${headers}::jsonb, ${delaySeconds}::int) as id`,
  );
  return (row as { id: string }).id;
}

/** Archives or deletes messages. Returns the IDs of the messages that were archived or deleted. */
export async function takeMessages(
  db: Queryable,
  name: string,
  how: 'archive' | 'delete',
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id::text from ${sql.id('pgmq', how)}(${name}::text, ${ids}::bigint[]) as id`,
  );
  return rows.map(({ id }) => id);
}
