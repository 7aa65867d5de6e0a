/** Reads message queues, and changes them by calling pgmq's functions as the role `postgres`. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';
import { permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import type { MessageRow, MessageSource, QueueRow } from './contract.ts';
import { type JobDeps, readParts } from './parts.ts';

const messagesPerPage = 50;
/** The maximum length of a message in the list of messages. */
const listedMessageChars = 2000;
/** The maximum length of a message that the operator opens. */
const openedMessageChars = 262_144;

const settings = [
  ['statement_timeout', '60000'],
  ['lock_timeout', '5000'],
] as const;

const contract = () => import('./contract.ts');

export function queueRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const pool = database.pool('postgres');
  const rows = permissionForRows('pgmq');

  /** Checks that the queues extension is enabled. @throws {ConsoleError} refused */
  async function requireQueues(): Promise<void> {
    if ((await readParts(pool)).queues !== 'ready')
      throw new ConsoleError('refused', { message: "pgmq isn't enabled." });
  }

  async function queueOf({ request }: Call): Promise<QueueTables> {
    const { queue } = await parseAs((await contract()).queueParams, request.params);
    await requireQueues();
    const tables = await findQueue(pool, queue);
    if (tables === undefined) throw new ConsoleError('not_found', { message: "This queue doesn't exist." });
    return tables;
  }

  route('GET /jobs/queues', 'read', async () => {
    await requireQueues();
    return { queues: await listQueues(pool) };
  });
  route('POST /jobs/queues', 'write', async (call) => {
    const requested = await call.body();
    await requireQueues();
    await pool.transaction(
      async (tx) => {
        if ((await findQueue(tx, requested.name)) !== undefined) throw new ConsoleError('taken');
        await createQueue(tx, requested);
      },
      { settings },
    );
    const { name, ...detail } = requested;
    await audit(call, 'queue.create', name, detail);
  });
  route('DELETE /jobs/queues/:queue', 'write', async (call) => {
    const { name } = await queueOf(call);
    await pool.transaction((tx) => dropQueue(tx, name), { settings });
    await audit(call, 'queue.drop', name);
  });
  route('POST /jobs/queues/:queue/purge', 'write', async (call) => {
    const { name } = await queueOf(call);
    const count = await pool.transaction((tx) => purgeQueue(tx, name), { settings });
    await audit(call, 'queue.purge', name, { count });
    return { count };
  });
  route('GET /jobs/queues/:queue/messages', rows, async (call) => {
    const page = await call.query();
    const tables = await queueOf(call);
    const found = await listMessages(pool, tables, page, {
      limit: messagesPerPage + 1,
      maxChars: listedMessageChars,
    });
    return { messages: found.slice(0, messagesPerPage), more: found.length > messagesPerPage };
  });
  route('GET /jobs/queues/:queue/messages/:id', rows, async (call) => {
    const { id } = await parseAs((await contract()).messageParams, call.request.params);
    const { of } = await call.query();
    const found = await findMessage(pool, await queueOf(call), { of, id, maxChars: openedMessageChars });
    if (found === undefined) throw new ConsoleError('not_found', { message: "This message doesn't exist." });
    return found;
  });
  route('POST /jobs/queues/:queue/messages', 'write', async (call) => {
    const sent = await call.body();
    const { name } = await queueOf(call);
    const id = await sendMessage(pool, name, sent);
    await audit(call, 'queue.send', name, { id });
    return { id };
  });
  for (const [path, how, action] of [
    ['archive', 'archive', 'queue.archive'],
    ['remove', 'delete', 'queue.remove'],
  ] as const)
    route(`POST /jobs/queues/:queue/messages/${path}`, 'write', async (call) => {
      const { ids } = await call.body();
      const { name } = await queueOf(call);
      const done = await takeMessages(pool, name, how, ids);
      await audit(call, action, name, { ids: done });
      return { ids: done };
    });
}

const countTimeoutMs = 3000;
const queryCanceled = '57014';

const queue = sql`m.queue_name::text as name, m.is_unlogged as unlogged, m.is_partitioned as partitioned,
  to_jsonb(m.created_at) as created_at, pgmq.format_table_name(m.queue_name::text, 'q') as table,
  (select c.relrowsecurity from pg_class c where c.relnamespace = 'pgmq'::regnamespace
    and c.relname = pgmq.format_table_name(m.queue_name::text, 'q')) as rls`;

/** Lists the queues. The result includes message counts if counting is fast enough. */
async function listQueues(pool: Pool): Promise<QueueRow[]> {
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

interface QueueTables {
  readonly name: string;
  readonly queue: string;
  readonly archive: string;
}

/** Returns the queue's tables, or undefined if the queue doesn't exist. */
async function findQueue(db: Queryable, name: string): Promise<QueueTables | undefined> {
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
const listMessages = (
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

async function findMessage(
  db: Queryable,
  tables: QueueTables,
  { of, id, maxChars }: { readonly of: MessageSource; readonly id: string; readonly maxChars: number },
): Promise<MessageRow | undefined> {
  const [row] = await db.query<MessageRow>(sql`
    select ${message(of, maxChars)} from ${sql.id('pgmq', tables[of])} q where msg_id = ${id}::bigint`);
  return row;
}

async function createQueue(
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

async function dropQueue(db: Queryable, name: string): Promise<void> {
  await db.query(sql`select pgmq.drop_queue(${name}::text)`);
}

async function purgeQueue(db: Queryable, name: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select pgmq.purge_queue(${name}::text)::float8 as count`,
  );
  return row?.count ?? 0;
}

async function sendMessage(
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
async function takeMessages(
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
