/**
 * The interface of a stream of changes, which this process reads from PostgreSQL itself (`replication-stream.ts`) or
 * from the log of its group (`group/group-stream.ts`).
 */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Database, ReplicationConnection } from '../../../platform/database/types.ts';
import type { Relation, ReplicationEvent } from '../core/pgoutput.ts';
import type { Place, StreamPlace } from '../core/progress.ts';
import type { Resumed } from '../handover/queries.ts';
import type { StreamReport } from '../types.ts';
import type { IsWanted, Missed } from './missed.ts';

export interface StreamOptions {
  readonly database: Database;
  readonly log: Logger;
  /**
   * The maximum size of the WAL that PostgreSQL retains for this stream. If the limit is exceeded, the stream restarts
   * and skips the missed changes.
   */
  readonly maxSlotWalBytes: () => number;
  readonly isWanted: (relation: Relation) => boolean;
  /** Called for each event, with the place in the stream after the event. */
  readonly onEvent: (event: ReplicationEvent, place: StreamPlace) => void;
  /**
   * Runs in a transaction with the slot's initial snapshot. Rows that are visible in the snapshot were committed before
   * the stream began, and all other rows are received through the stream.
   */
  readonly onSnapshot: (command: ReplicationConnection['command']) => Promise<void>;
  /**
   * Called when the stream is live. `seamless` is true if the stream continues where the previous stream ended, without
   * missing changes.
   */
  readonly onLive: (seamless: boolean) => void;
  /** Called if the server rejects an attempt to open the stream for a reason that retrying won't fix. */
  readonly onRejected: () => void;
}

export interface Stream {
  /** Opens the stream if it is closed. */
  open(): void;
  /** Closes the stream and drops its slot, because no channel needs the stream anymore. */
  close(): void;
  readonly live: boolean;
  /**
   * Resolves with whether PostgreSQL has a free replication slot and WAL sender for the stream, as far as this is known
   * within a second. The server creates a slot only after open transactions have ended, so `true` doesn't mean that the
   * stream is live.
   */
  hasCapacity(): Promise<boolean>;
  /** A sentence for operators if PostgreSQL has rejected the stream because it has no capacity. Otherwise, undefined. */
  readonly shortage: string | undefined;
  /** The error message while the stream is needed but isn't live, or while the stream retains too much WAL. */
  readonly trouble: string | undefined;
  readonly report: StreamReport;
  acknowledge(lsn: bigint): void;
  /** Stops reading. PostgreSQL retains later changes until the stream is read again. A reopened stream isn't paused. */
  pause(): void;
  resume(): void;
  /** Checks the retained WAL and drops abandoned slots, except the slots in `kept`. */
  checkSlots(kept: readonly string[]): Promise<void>;
  /** The permanent slot that contains the changes after the last acknowledged one, if there is one. */
  readonly lastingSlot: string | undefined;
  /** The place at which the stream began. */
  readonly origin: StreamPlace;
  /**
   * A stream that other processes have used can first deliver older changes, for subscribers that missed them. New
   * subscribers receive only changes after this place.
   */
  readonly floor: Place;
  /** Reads the changes that subscribers of a process that has ended have missed, up to now. The stream must be live. */
  readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed>;
  /** If `keepsSlot` is true, the slot is left to other processes. */
  stop(keepsSlot: boolean): Promise<void>;
}
