/** Runs the service's fixed statements. */

import { sql } from '../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../platform/database/types.ts';

/** The context in which policies on realtime.messages are evaluated. */
export interface PolicyContext {
  readonly topic: string;
  readonly role: string;
  readonly sub: string;
  readonly claimsJson: string;
  readonly headersJson: string;
}

export async function queryReadPermissions(
  db: Queryable,
  context: PolicyContext,
  extensions: readonly string[],
): Promise<string[]> {
  return queryPermissions(db, 'realtime_read_rights', context, extensions);
}

export async function queryWritePermissions(
  db: Queryable,
  context: PolicyContext,
  extensions: readonly string[],
): Promise<string[]> {
  return queryPermissions(db, 'realtime_write_rights', context, extensions);
}

async function queryPermissions(
  db: Queryable,
  name: 'realtime_read_rights' | 'realtime_write_rights',
  { topic, role, sub, claimsJson, headersJson }: PolicyContext,
  extensions: readonly string[],
): Promise<string[]> {
  const [row] = await db.query<{ rights: string[] }>(
    sql`select ${sql.id('_plinth', name)}(${topic}, ${[...extensions]}, ${role}, ${sub}, ${claimsJson}, ${headersJson}) as rights`,
  );
  return row?.rights ?? [];
}

export async function ensurePartitions(db: Queryable): Promise<void> {
  await db.query(sql`select _plinth.realtime_keep_partitions()`);
}

export interface MessageRow {
  readonly id: string;
  readonly topic: string;
  readonly event: string | null;
  readonly private: boolean | null;
  readonly payload_text: string | null;
  readonly binary_payload: Buffer | null;
}

/** Returns the latest private broadcasts of a topic that were sent since the given time, oldest first. */
export async function messagesSince(
  db: Pool,
  topic: string,
  sinceMs: number,
  limit: number,
): Promise<MessageRow[]> {
  const since = new Date(sinceMs).toISOString().replace('Z', '');
  const rows = await db.query<MessageRow>(sql`
    select id, topic, event, private, payload::text as payload_text, binary_payload
    from realtime.messages
    where topic = ${topic} and private is true and extension = 'broadcast'
      and inserted_at >= ${since}::timestamp
      and inserted_at < (now() at time zone 'utc') + interval '1 minute'
    order by inserted_at desc
    limit ${limit}`);
  return rows.reverse();
}

/** Returns PostgreSQL's current snapshot as text. */
export async function currentSnapshot(db: Queryable): Promise<string> {
  const [row] = await db.query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`);
  return (row as { snapshot: string }).snapshot;
}

/** Sends a notification for each payload, in order and in one transaction. */
export async function notifyAll(db: Pool, channel: string, payloads: readonly string[]): Promise<void> {
  await db.transaction(
    (tx) =>
      tx.finish([
        sql`select pg_notify(${channel}, payload) from unnest(${[...payloads]}::text[]) as payload`,
      ]),
    { settings: [['synchronous_commit', 'off']] },
  );
}

/**
 * Returns an identifier that is the same for all processes that serve this database, and different for every other
 * database.
 */
export async function databaseIdentity(db: Queryable): Promise<string> {
  const [row] = await db.query<{ identity: string }>(sql`
    select system_identifier::text || '.' || (
      select oid::text from pg_catalog.pg_database where datname = current_database()
    ) as identity
    from pg_catalog.pg_control_system()`);
  return (row as { identity: string }).identity;
}
