/** SQL for the records of channels and delivered changes. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { lsnText, parseLsn, type StreamPlace } from '../core/progress.ts';

/** The first key of the advisory lock that a process holds while it runs (`node` in ASCII). The second key is its number. */
export const nodeLockClass = 0x6e6f6465;

/** How long changes are kept for the channels of a process that has ended. */
export const replaySeconds = 30;
/** How long the channels of such a process are known, so that their clients can be told that changes are missing. */
const knownSeconds = 600;

/** What a process delivered last. */
export interface Delivered {
  readonly slot: string | undefined;
  readonly place: StreamPlace;
}

/** The record of a channel whose process has ended. */
export interface Resumed {
  readonly node: number;
  /** The slot with the missed changes. Null if the changes aren't available anymore. */
  readonly slot: string | null;
  readonly place: StreamPlace;
  /**
   * False if changes after the position may have been delivered, because the process was killed, or because the position
   * is that of another client.
   */
  readonly planned: boolean;
  readonly since: string;
}

export interface ChannelRecord {
  readonly channel: number;
  readonly identity: Buffer;
  readonly ref: number;
}

export interface NodeChanges {
  readonly node: number;
  readonly delivered: Delivered;
  readonly added: readonly ChannelRecord[];
  readonly removed: readonly number[];
  /** Whether the process ends and delivers nothing anymore. */
  readonly ends: boolean;
}

export async function writeNode(
  pool: Pool,
  { node, delivered, added, removed, ends }: NodeChanges,
): Promise<void> {
  const { slot = null, place } = delivered;
  await pool.transaction(async (tx) => {
    await tx.query(sql`
      insert into _plinth.realtime_nodes as n (node, slot, lsn, row_number, sequence, ended_at, planned)
      values (${node}, ${slot}, ${lsnText(place.lsn)}::pg_lsn, ${place.row}, ${place.sequence ?? null},
        case when ${ends} then now() end, ${ends})
      on conflict (node) do update set slot = excluded.slot, lsn = excluded.lsn, row_number = excluded.row_number,
        sequence = excluded.sequence, delivered_at = now(), ended_at = excluded.ended_at, planned = excluded.planned`);
    if (removed.length > 0)
      await tx.query(sql`
        delete from _plinth.realtime_channels where node = ${node} and channel = any (${[...removed]}::bigint[])`);
    if (added.length > 0)
      await tx.query(sql`
        insert into _plinth.realtime_channels (node, channel, identity, ref)
        select ${node}, channel, decode(identity, 'hex'), ref from unnest(
          ${added.map(({ channel }) => channel)}::bigint[],
          ${added.map(({ identity }) => identity.toString('hex'))}::text[],
          ${added.map(({ ref }) => ref)}::bigint[]
        ) as a (channel, identity, ref)
        on conflict do nothing`);
  });
}

export async function deleteNode(pool: Pool, node: number): Promise<void> {
  await pool.query(sql`delete from _plinth.realtime_nodes where node = ${node}`);
}

const isAlive = sql`exists (
  select from pg_catalog.pg_locks l
  join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
  where l.locktype = 'advisory' and l.classid = ${nodeLockClass}::oid and l.objid = n.node::bigint::oid and l.objsubid = 2
    and l.granted
)`;

/** A client that joins a channel. */
export interface Joining {
  /** The number of the process that the client joins. */
  readonly node: number;
  readonly identity: Buffer;
  /** The number of the client's join message. */
  readonly ref: number;
}

/**
 * The records that may belong to the client. A client numbers its messages consecutively, so the message of a client that
 * joins again has a higher number than the client's first join, and that of a new client has not.
 */
const candidates = ({ node, identity, ref }: Joining) => sql`
  from _plinth.realtime_channels c
  join _plinth.realtime_nodes n on n.node = c.node
  where c.identity = decode(${identity.toString('hex')}, 'hex') and c.ref < ${ref} and n.node <> ${node}
    and (n.ended_at is not null or not ${isAlive})`;

/**
 * Takes the record of a channel whose process has ended. Several clients can have the same identity, for example tabs of
 * visitors behind one address. If their processes ended at different positions, each of them continues at the oldest
 * position, so that none of them misses a change.
 */
export async function takeRecord(pool: Pool, joining: Joining): Promise<Resumed | undefined> {
  // Most clients have no record, and this query needs no lock.
  const [any] = await pool.query(sql`select ${candidates(joining)} limit 1`);
  if (any === undefined) return undefined;
  return await pool.transaction(async (tx) => {
    // Clients with the same identity take their records one after another. Running processes change only their own
    // records, which aren't locked, so that both can't wait for each other.
    await tx.query(sql`select ${candidates(joining)} order by c.node, c.channel for update of c`);
    return await takeLocked(tx, joining);
  });
}

async function takeLocked(db: Queryable, joining: Joining): Promise<Resumed | undefined> {
  const [row] = await db.query<{
    node: number;
    slot: string | null;
    lsn: string;
    row_number: number;
    sequence: number | null;
    planned: boolean;
    since: string;
  }>(sql`
    with found as (
      select c.node, c.channel, c.ref, coalesce(c.continues, c.node) as position ${candidates(joining)}
    ), oldest as (
      select p.node, (select count(distinct position) from found) > 1 as is_shared
      from _plinth.realtime_nodes p where p.node in (select position from found)
      order by p.lsn, p.row_number limit 1
    ), chosen as (
      select node, channel from found order by ref desc limit 1
    ), taken as (
      delete from _plinth.realtime_channels c using chosen
      where c.node = chosen.node and c.channel = chosen.channel
      returning c.node, c.continues
    ), kept as (
      update _plinth.realtime_channels c set continues = oldest.node
      from found, oldest, chosen
      where c.node = found.node and c.channel = found.channel and found.position <> oldest.node
        and (found.node, found.channel) <> (chosen.node, chosen.channel)
    )
    select n.node, n.lsn::text, n.row_number, n.sequence,
      n.planned and not oldest.is_shared and taken.continues is null as planned,
      to_char(n.delivered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since,
      case when n.ended_at is null or n.ended_at > now() - make_interval(secs => ${replaySeconds}) then n.slot end as slot
    from taken, oldest join _plinth.realtime_nodes n on n.node = oldest.node`);
  if (row === undefined) return undefined;
  const { node, slot, planned, since, sequence } = row;
  const place = { lsn: parseLsn(row.lsn), row: row.row_number, ...(sequence === null ? {} : { sequence }) };
  return { node, slot, planned, since, place };
}

/**
 * Marks the processes that were killed and deletes old records. Returns the slots that still contain changes for channels
 * of processes that have ended.
 */
export async function keepRecords(pool: Pool): Promise<readonly string[]> {
  await pool.query(sql`
    update _plinth.realtime_nodes n set ended_at = now() where n.ended_at is null and not ${isAlive}`);
  await pool.query(sql`
    delete from _plinth.realtime_nodes n where n.ended_at < now() - make_interval(secs => ${knownSeconds})
      or (n.ended_at is not null
        and not exists (select from _plinth.realtime_channels c where n.node in (c.node, c.continues)))`);
  const rows = await pool.query<{ slot: string }>(sql`
    select distinct n.slot from _plinth.realtime_nodes n
    where n.slot is not null and n.ended_at > now() - make_interval(secs => ${replaySeconds})`);
  return rows.map(({ slot }) => slot);
}
