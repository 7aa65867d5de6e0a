/**
 * Turns committed rows in realtime.messages into broadcasts. When a stream opens, fetches the rows that were committed
 * while no stream was open, so that a channel doesn't miss messages after it joins.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import type { Pool, ReplicationConnection } from '../../../platform/database/types.ts';
import type { Broadcast } from '../core/frame.ts';
import { currentSnapshot } from '../queries.ts';

export interface MessageOptions {
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly maxPayloadBytes: () => number;
  readonly publish: (subTopic: string, isPrivate: boolean, broadcast: Broadcast) => void;
}

export interface Messages {
  /** Ensures that no message committed after this call is missed, even if no stream is open. */
  mark(): Promise<void>;
  /** Fetches messages that were committed between the mark and the stream's snapshot. */
  catchUp(command: ReplicationConnection['command']): Promise<void>;
  /** Forgets the mark, because no channel needs messages anymore. */
  forget(): void;
  /** Handles a row received from the stream. */
  inserted(row: ReadonlyMap<string, string | null>): void;
}

/** The maximum number of message IDs that are stored per mark. When this number is reached, the next mark is set. */
const idsPerMark = 1000;

export function createMessages({ pool, log, maxPayloadBytes, publish }: MessageOptions): Messages {
  // The last two marks, each with the IDs of the messages that were delivered after it. A new stream doesn't deliver
  // these messages again.
  let previousMark: { readonly snapshot: string; readonly sent: Set<string> } | undefined;
  let currentMark: { readonly snapshot: string; readonly sent: Set<string> } | undefined;
  /** The IDs of the messages that the last catch-up sent, which such a stream can deliver again. */
  let caughtUp = new Set<string>();
  let marking: Promise<void> | undefined;

  const take = async (): Promise<void> => {
    const snapshot = await currentSnapshot(pool());
    const next = { snapshot, sent: new Set<string>() };
    previousMark = currentMark ?? next;
    currentMark = next;
  };

  const send = (row: ReadonlyMap<string, string | null>): void => {
    const id = row.get('id') ?? '';
    const topic = row.get('topic');
    const event = row.get('event');
    const isPrivate = row.get('private');
    if (row.get('extension') !== 'broadcast' || !topic || event == null || isPrivate == null) return;
    const json = row.get('payload');
    const bytes = row.get('binary_payload');
    if (json == null && bytes == null) return;
    const data =
      bytes != null ? Buffer.from(bytes.replace(/^\\x/, ''), 'hex') : Buffer.from(json as string, 'utf8');
    if (data.length > maxPayloadBytes()) {
      log.warn({ id, topic, bytes: data.length }, 'a message in realtime.messages is too large to deliver');
      return;
    }
    publish(topic, isPrivate === 't', {
      form: 'user',
      event,
      encoding: bytes != null ? 'binary' : 'json',
      data,
      metadata: JSON.stringify({ id }),
      id,
    });
  };

  return {
    mark() {
      if (currentMark !== undefined) return Promise.resolve();
      marking ??= take().finally(() => {
        marking = undefined;
      });
      return marking;
    },
    async catchUp(command) {
      if (previousMark !== undefined) {
        const rows = await missedRows(command, previousMark.snapshot);
        // A stream that other processes also use can deliver rows during the query.
        const sent = previousMark.sent.union(currentMark?.sent ?? new Set());
        caughtUp = new Set();
        for (const row of rows) {
          const id = row.get('id') ?? '';
          if (sent.has(id)) continue;
          caughtUp.add(id);
          send(row);
        }
      }
      const [row] = await command('select pg_current_snapshot()::text as snapshot');
      const sent = currentMark?.sent ?? new Set<string>();
      currentMark = { snapshot: row?.snapshot ?? '', sent };
      previousMark = currentMark;
    },
    forget() {
      previousMark = undefined;
      currentMark = undefined;
    },
    inserted(row) {
      if (caughtUp.delete(row.get('id') ?? '')) return;
      currentMark?.sent.add(row.get('id') ?? '');
      if (currentMark !== undefined && currentMark.sent.size >= idsPerMark && marking === undefined) {
        marking = take()
          .catch((error: unknown) => log.debug({ error }, 'failed to record a new position'))
          .finally(() => {
            marking = undefined;
          });
      }
      send(row);
    },
  };
}

/**
 * Returns the rows that weren't visible in the snapshot because their transactions hadn't committed. A row's xmin has
 * 32 bits, so the upper bits are taken from the current transaction id. A row is missed if it was written by a
 * subtransaction that began before the snapshot, and the outer transaction ended after the snapshot.
 */
async function missedRows(
  command: ReplicationConnection['command'],
  snapshot: string,
): Promise<Map<string, string | null>[]> {
  const rows = await command(`
    with present as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid)
    select m.id::text, m.topic, m.event, m.extension, m.payload::text, m.binary_payload::text,
      case when m.private then 't' else 'f' end as private
    from realtime.messages m
    cross join present
    cross join lateral (
      select (present.xid & ~4294967295::bigint) + m.xmin::text::bigint as xid
    ) made
    where m.extension = 'broadcast' and m.private is not null
      and m.inserted_at > (now() at time zone 'utc') - interval '1 day'
      and not pg_visible_in_snapshot(
        (case when made.xid > present.xid then made.xid - 4294967296 else made.xid end)::text::xid8,
        ${quoteLiteral(snapshot)}::pg_snapshot
      )
    order by m.inserted_at`);
  return rows.map((row) => new Map(Object.entries(row)));
}
