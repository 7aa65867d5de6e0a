/** What all streams of changes share: how a replication session is prepared and started, and its heartbeat. */
import { quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type { Database, ReplicationConnection } from '../../../platform/database/types.ts';
import { lsnText } from '../core/progress.ts';
import { changesPublication } from './catalog-queries.ts';

export const messagesPublication = 'supabase_realtime_messages_publication';

/**
 * The heartbeat interval. Heartbeat messages are received through the stream, so their arrival shows that the stream
 * works. They also advance the slot while other transactions write only to unpublished tables, so that WAL doesn't
 * accumulate.
 */
export const heartbeatMs = 30_000;
export const silenceMs = 120_000;

/**
 * The SQLSTATEs of rejections that retrying won't fix: the login lacks REPLICATION or isn't allowed to connect,
 * `wal_level` isn't `logical`, or all slots or senders are in use.
 */
export const rejections: ReadonlySet<string> = new Set([
  '42501',
  '28000',
  '28P01',
  '55000',
  '53300',
  '53400',
]);

/** The SQLSTATEs with which the server reports that all WAL senders or all replication slots are in use. */
export const shortages: ReadonlySet<string> = new Set(['53300', '53400']);
export const shortageText =
  'PostgreSQL has no free replication slot or WAL sender for realtime; increase max_replication_slots and max_wal_senders';

/** Sets the text formats that `core/json-text.ts` expects. Returns the ID of the server process. */
export async function prepareSession(connection: ReplicationConnection): Promise<number> {
  const [server] = await connection.command(
    `select pg_backend_pid() as pid; ${textFormats.map(([name, value]) => `set ${name} = '${value}'`).join('; ')}; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0`,
  );
  return Number(server?.pid);
}

/** The settings that determine how a session decodes values as text. */
export const textFormats: readonly (readonly [string, string])[] = [
  ['datestyle', 'ISO'],
  ['intervalstyle', 'postgres'],
  ['timezone', 'UTC'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
];

export function startReplication(slot: string, from: bigint, publications: readonly string[]): string {
  const names = publications.map((name) => `"${name}"`).join(',');
  return `START_REPLICATION SLOT ${slot} LOGICAL ${lsnText(from)} (proto_version '1', messages 'true', publication_names ${quoteLiteral(names)})`;
}

export async function writeHeartbeat(database: Database): Promise<void> {
  await database
    .pool('supabase_realtime_admin')
    .query(sql`select pg_logical_emit_message(true, 'plinth.realtime', 'heartbeat')`);
}

/**
 * Returns those publications that exist. PostgreSQL before version 18 ends a stream that requests a missing
 * publication.
 */
export async function existingPublications(database: Database): Promise<string[]> {
  const rows = await database
    .pool('supabase_realtime_admin')
    .query<{ name: string }>(
      sql`select pubname as name from pg_catalog.pg_publication where pubname in (${changesPublication}, ${messagesPublication})`,
    );
  if (database.info.serverVersion >= 180000) return [changesPublication, messagesPublication];
  return rows.map(({ name }) => name);
}
