/** Receives the WAL through a physical replication slot and stores it in the backup target. */
import { setTimeout as sleep } from 'node:timers/promises';
import { backupSlot } from '../../../platform/database/index.ts';
import type { Database, ReplicationConnection, WalChunk } from '../../../platform/database/types.ts';
import { formatLsn, parseLsn, segmentEnd, segmentStart } from '../core/lsn.ts';
import {
  headFolder,
  headName,
  historyName,
  timelineOwnerName,
  timeOfName,
  type WalRange,
  walRangeName,
} from '../core/names.ts';
import { BackupError } from '../errors.ts';
import { currentPosition, findSlot, type WalPosition } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { type Segment, Segments } from './segments.ts';

/**
 * The maximum number of segments in memory. If this number is reached, the archiver stops receiving WAL until segments
 * have been stored.
 */
const maxSegments = 3;
/** The number of chunks after which an unfinished segment is stored again as a single chunk. */
const maxChunks = 60;
/** The maximum time for which a round waits for WAL that PostgreSQL has already flushed. */
const catchUpMs = 300;
/** The interval between confirmations while no WAL arrives. */
const headEveryMs = 60_000;

export interface Archiver {
  readonly timeline: number;
  readonly start: bigint;
  /** Returns the WAL received so far. The caller must then upload the object bodies and call `store`. */
  take(): Promise<Taken>;
  /** Resolves when the stream has ended. Rejects if the stream fails. */
  readonly ended: Promise<void>;
  close(): void;
}

interface Taken {
  /**
   * Stores the WAL, and confirms to PostgreSQL that the WAL has been stored. Returns the time up to which the archive
   * is complete after this call, if known.
   */
  store(): Promise<number | undefined>;
}

/**
 * Starts archiving. `ownerId` is the identity of the data folder.
 * @throws {BackupError | PostgresErrorShape}
 */
export async function startArchiver(
  database: Database,
  repository: Repository,
  ownerId: string,
): Promise<Archiver> {
  const connection = await database.connectReplication();
  try {
    const start = await prepareSlot(database, connection);
    const [system] = await connection.command('IDENTIFY_SYSTEM');
    const timeline = Number(system?.timeline);
    await claimTimeline(repository, timeline, ownerId);
    await storeHistory(repository, connection, timeline);
    return new Stream({ database, repository, connection, timeline, start });
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/**
 * Creates the archiver's replication slot if necessary. Returns the start of the first segment that the archiver must
 * receive.
 */
async function prepareSlot(database: Database, connection: ReplicationConnection): Promise<bigint> {
  const db = database.pool('supabase_admin');
  let slot = await findSlot(db, backupSlot);
  if (slot?.status === 'lost' || slot?.restartLsn === null) {
    await connection.command(`DROP_REPLICATION_SLOT ${backupSlot} WAIT`);
    slot = undefined;
  }
  if (slot === undefined) {
    await connection.command(`CREATE_REPLICATION_SLOT ${backupSlot} PHYSICAL RESERVE_WAL`);
    slot = await findSlot(db, backupSlot);
  }
  if (slot?.restartLsn == null) throw new BackupError('slot_lost');
  // Starts at the beginning of the segment, so that the complete segment can later replace the segment's chunks.
  return segmentStart(parseLsn(slot.restartLsn));
}

/**
 * Records which server archives a timeline. Two copies restored from the same backup can have the same timeline with
 * different changes, so only the copy that records itself first may archive this timeline.
 * @throws {BackupError} timeline_taken
 */
async function claimTimeline(repository: Repository, timeline: number, ownerId: string): Promise<void> {
  const name = timelineOwnerName(timeline);
  await repository.createBytes(name, Buffer.from(ownerId));
  const owner = await repository.readBytes(name);
  if (owner?.toString() !== ownerId) throw new BackupError('timeline_taken', `(timeline ${timeline})`);
}

/**
 * Stores a timeline's history file, which exists for every timeline except the first. The history file also prevents a
 * restore from reusing the timeline's number.
 */
async function storeHistory(
  repository: Repository,
  connection: ReplicationConnection,
  timeline: number,
): Promise<void> {
  if (timeline === 1) return;
  const [history] = await connection.command(`TIMELINE_HISTORY ${timeline}`);
  await repository.writeBytes(historyName(timeline), Buffer.from(history?.content ?? '', 'latin1'));
}

interface StreamParts {
  readonly database: Database;
  readonly repository: Repository;
  readonly connection: ReplicationConnection;
  readonly timeline: number;
  /** The position at which the stream starts. */
  readonly start: bigint;
}

class Stream implements Archiver {
  readonly timeline: number;
  readonly start: bigint;
  readonly ended: Promise<void>;
  readonly #database: Database;
  readonly #repository: Repository;
  readonly #connection: ReplicationConnection;
  readonly #segments = new Segments();
  #receivedEnd: bigint;
  #paused = false;
  #failure: Error | undefined;
  #completeAtMs = 0;
  #headAtMs = 0;

  constructor({ database, repository, connection, timeline, start }: StreamParts) {
    this.timeline = timeline;
    this.start = start;
    this.#database = database;
    this.#repository = repository;
    this.#connection = connection;
    this.#receivedEnd = start;
    const command = `START_REPLICATION SLOT ${backupSlot} PHYSICAL ${formatLsn(start)} TIMELINE ${timeline}`;
    this.ended = connection.streamWal(command, (chunk) => this.#receive(chunk)).ended;
    const fail = (error?: Error): void => {
      this.#failure ??= error ?? new Error('PostgreSQL ended the WAL stream');
    };
    this.ended.then(() => fail(), fail);
  }

  async take(): Promise<Taken> {
    if (this.#failure !== undefined) throw this.#failure;
    const mark = await currentPosition(this.#database.pool('supabase_admin'));
    await this.#receiveUpTo(parseLsn(mark.lsn));
    const taken = this.#segments.all.map((segment) => ({ segment, end: segment.received }));
    const isComplete = this.#receivedEnd >= parseLsn(mark.lsn);
    return { store: () => this.#store(taken, isComplete ? mark : undefined) };
  }

  close(): void {
    this.#connection.destroy();
  }

  #receive({ start, bytes }: WalChunk): void {
    if (bytes.length === 0 || this.#failure !== undefined) return;
    try {
      this.#segments.add(start, bytes);
    } catch (error) {
      this.#failure = error as Error;
      this.#connection.destroy();
      return;
    }
    this.#receivedEnd = start + BigInt(bytes.length);
    if (this.#paused || this.#segments.all.length <= maxSegments) return;
    this.#paused = true;
    this.#connection.pause();
  }

  async #receiveUpTo(lsn: bigint): Promise<void> {
    const deadline = performance.now() + catchUpMs;
    while (this.#receivedEnd < lsn && !this.#paused && performance.now() < deadline) await sleep(5);
  }

  async #store(
    taken: readonly { readonly segment: Segment; readonly end: bigint }[],
    mark: WalPosition | undefined,
  ): Promise<number | undefined> {
    // The new time is valid only for the last range. Earlier ranges get the previous time, up to which the archive is
    // known to be complete.
    const before = this.#completeAtMs;
    const timeMs = mark?.timeMs ?? before;
    const pending = taken.filter(({ segment, end }) => end > segment.stored);
    for (const [index, { segment, end }] of pending.entries()) {
      await this.#storeSegment(segment, end, index === pending.length - 1 ? timeMs : before);
      // Confirms each segment separately so that archiving to a slow target makes progress even if the connection fails
      // during a long round.
      this.#connection.acknowledge(end);
      this.#connection.sendStatus();
    }
    this.#completeAtMs = timeMs;
    if (pending.length === 0) this.#connection.sendStatus();
    this.#segments.release();
    if (this.#paused && this.#segments.all.length <= maxSegments) {
      this.#paused = false;
      this.#connection.resume();
    }
    if (pending.length > 0) this.#headAtMs = timeMs;
    else if (mark !== undefined) await this.#confirm(mark);
    return timeMs === 0 ? undefined : timeMs;
  }

  async #storeSegment(segment: Segment, end: bigint, timeMs: number): Promise<void> {
    const isWhole = end === segmentEnd(segment.start);
    const joins = isWhole || segment.ranges.length >= maxChunks;
    const start = joins ? segment.start : segment.stored;
    const facts = { timeline: this.timeline, start, end, timeMs };
    const range: WalRange = { name: walRangeName(facts), ...facts };
    const bytes = segment.bytes.subarray(Number(start - segment.start), Number(end - segment.start));
    // Copies the bytes, because PostgreSQL's next bytes are written to the same buffer while this range is encrypted.
    await this.#repository.writeBytes(range.name, isWhole ? bytes : Buffer.from(bytes));
    segment.stored = end;
    const replaced = joins ? segment.ranges : [];
    segment.ranges = joins ? [range] : [...segment.ranges, range];
    for (const { name } of replaced) if (name !== range.name) await this.#repository.remove(name);
  }

  /** Stores a small file that proves that the archive is complete even though no WAL arrives. */
  async #confirm({ timeMs, lsn }: WalPosition): Promise<void> {
    if (timeMs - this.#headAtMs < headEveryMs) return;
    this.#headAtMs = timeMs;
    const name = headName(timeMs);
    await this.#repository.writeBytes(name, Buffer.from(JSON.stringify({ timeline: this.timeline, lsn })));
    for await (const file of this.#repository.list(headFolder)) {
      const time = timeOfName(file.name, headFolder);
      if (time !== undefined && time < timeMs) await this.#repository.remove(file.name);
    }
  }
}
